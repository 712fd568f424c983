import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { asAdmin, type TestDatabase } from '../support/server.ts'

const query = readFile(join(import.meta.dirname, 'dump.sql'), 'utf8')

/** The schema of a database as sorted lines of text, the same on every supported server version. */
export async function dumpSchema(database: TestDatabase): Promise<string[]> {
  const text = await query
  return asAdmin(database, async (admin) => (await admin.query<{ line: string }>(text)).rows.map((row) => row.line))
}

/** What outsiders can see or do: the objects of api_v1, service and audit, and every grant; no
 * bodies. */
export function surfaceOf(dump: string[]): string[] {
  return dump
    .filter((line) => /^(?:column|view|function) (?:api_v1|service|audit)\.|^grant /.test(line))
    .map((line) => line.replace(/ body=\w+/, ''))
}
