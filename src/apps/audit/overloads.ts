import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transaction } from '../../database/session.ts'

/**
 * Reads what is in pg_catalog under a name that the server's own has. Where there is any, no answer of the catalog is
 * to be relied on: the question may have been asked of it. To be asked before anything else.
 *
 * @returns their kind and name
 */
export async function readOverloads(transaction: Transaction): Promise<string[]> {
  const text = await readFile(join(import.meta.dirname, 'inventory', 'overloads.sql'), 'utf8')
  const rows = await transaction.query<{ kind: string; oid: string; name: string | null }>(text)
  return rows.map(({ kind, oid, name }) => (name === null ? `${kind} ${oid}` : `${kind} ${name} (${oid})`)).toSorted()
}
