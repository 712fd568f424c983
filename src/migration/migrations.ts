import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, withSafeClient } from '../database/client.ts'

export const ourMigrations = join(import.meta.dirname, '../../migrations')

/** The database has another migration under this name, as unreleased versions before 1.0 had. */
class UnknownMigration extends Error {
  override name = 'UnknownMigration'
  readonly hint = 'Use an empty database. The embedded one is created again when its data folder is removed.'

  constructor(filename: string) {
    super(
      `this database was made by an unreleased version, from which there is no upgrade (its ${filename} is not the migration of this release)`,
    )
  }
}

/** A committed migration. `filename` is its name in a database: '000002.sql' for
 * 000002-add-tags.sql. `hash` ('sha1:…') covers its content and all migrations before it. `index`
 * is the index that it builds concurrently, e.g. 'app.items_by_shelf'; undefined for a migration
 * that is one transaction. */
export type Migration = { filename: string; path: string; hash: string; sql: string; index: string | undefined }

/** The committed migrations of a folder, oldest first. */
export async function committedMigrations(migrationsFolder: string = ourMigrations): Promise<Migration[]> {
  const folder = join(migrationsFolder, 'committed')
  const files = (await readdir(folder)).flatMap((file) => {
    const id = /^(\d+)(?:-[-\w]*)?\.sql$/.exec(file)?.[1]
    return id === undefined ? [] : { filename: `${id}.sql`, path: join(folder, file) }
  })
  const migrations = files.map(async ({ filename, path }) => {
    const sql = await readFile(path, 'utf8')
    const hash = /^--! Hash: (\S+)$/m.exec(sql)?.[1]
    if (hash === undefined) throw new Error(`${path} is not a committed migration: it has no hash`)
    return { filename, path, hash, sql, index: indexOf(path, sql) }
  })
  return (await Promise.all(migrations)).toSorted((one, other) => (one.filename < other.filename ? -1 : 1))
}

/** The headers, and a body that graphile-migrate runs outside a transaction. */
const withoutTransaction = /^(?:--! [A-Z].*\n)+\s*--!\s*no-transaction\b.*\n([\s\S]*)$/

/** One statement, after comments. */
const concurrentIndex =
  /^(?:\s|--.*\n)*create (?:unique )?index concurrently if not exists (\w+)\s+on (\w+)\.\w+\b[^;]*;\s*$/

/** The index that a migration builds concurrently. @throws if it does anything else without a
 * transaction: an interrupted one must be able to run again */
function indexOf(path: string, sql: string): string | undefined {
  const body = withoutTransaction.exec(sql)?.[1]
  if (body === undefined) return undefined
  const [, index, schema] = concurrentIndex.exec(body) ?? []
  if (index !== undefined) return `${schema}.${index}`
  throw new Error(
    `${path} cannot run without a transaction: write one statement, create index concurrently if not exists … on schema.table …;`,
  )
}

/** The committed migrations that a database lacks, oldest first. @throws UnknownMigration */
export async function pendingMigrations(
  databaseUrl: string,
  migrationsFolder: string = ourMigrations,
): Promise<string[]> {
  return (await lackingMigrations(databaseUrl, migrationsFolder)).map(({ filename }) => filename)
}

/** The same with their content. @throws UnknownMigration */
export async function lackingMigrations(databaseUrl: string, migrationsFolder: string): Promise<Migration[]> {
  const committed = await committedMigrations(migrationsFolder)
  const installed = await withSafeClient(databaseUrl, installedMigrations)
  for (const { filename, hash } of committed) {
    if ((installed.get(filename) ?? hash) !== hash) throw new UnknownMigration(filename)
  }
  const newest = [...installed.keys()].toSorted().at(-1) ?? ''
  return committed.filter(({ filename }) => filename > newest)
}

/** The names and hashes of the migrations that a database has. */
async function installedMigrations(client: Client): Promise<Map<string, string>> {
  const table = await client.query(`select to_regclass('graphile_migrate.migrations') is not null as exists`)
  if (!table.rows[0].exists) return new Map()
  const { rows } = await client.query('select filename, hash from graphile_migrate.migrations')
  return new Map(rows.map(({ filename, hash }) => [filename, hash]))
}

/** The newest migration of this release. */
export async function newestMigration(migrationsFolder: string = ourMigrations): Promise<Migration> {
  const newest = (await committedMigrations(migrationsFolder)).at(-1)
  if (newest === undefined) throw new Error(`there are no committed migrations in ${migrationsFolder}`)
  return newest
}
