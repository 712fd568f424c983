import type { Transaction } from '../database/session.ts'

/**
 * Other databases of the server that a login may connect to. PostgreSQL lets everybody into every database, and there
 * the rules of this one do not apply: temporary tables, code and large objects can be made.
 */
export async function otherDatabases(transaction: Transaction, login: string): Promise<string[]> {
  const rows = await transaction.query<{ name: string }>(
    `select d.datname as name from pg_catalog.pg_database d
     where d.datallowconn and d.datname <> pg_catalog.current_database()
       and pg_catalog.has_database_privilege($1::name, d.oid, 'CONNECT')
     order by 1`,
    [login],
  )
  return rows.map(({ name }) => name)
}

/** The statement that closes databases to everybody who is not let in by name. */
export function closingStatement(databases: readonly string[]): string {
  const names = databases.map((name) => `"${name.replaceAll('"', '""')}"`)
  return `revoke connect on database ${names.join(', ')} from public`
}
