import type { Transaction } from '../database/session.ts'

/** The server's other databases that a login may connect to. PostgreSQL admits everybody to
 * them, and this database's rules do not apply there: temporary tables, code, large objects. */
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

/** The statement that closes databases to everybody not named. */
export function closingStatement(databases: readonly string[]): string {
  const names = databases.map((name) => `"${name.replaceAll('"', '""')}"`)
  return `revoke connect on database ${names.join(', ')} from public`
}
