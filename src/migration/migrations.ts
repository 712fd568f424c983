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
 * 000002-add-tags.sql. `hash` ('sha1:…') covers its content and `previous`, null for the first. */
export type Migration = { filename: string; hash: string; previous: string | null; sql: string }

/** The committed migrations of a folder, oldest first. */
export async function committedMigrations(migrationsFolder: string = ourMigrations): Promise<Migration[]> {
  const folder = join(migrationsFolder, 'committed')
  const files = (await readdir(folder)).flatMap((file) => {
    const id = /^(\d+)(?:-[-\w]*)?\.sql$/.exec(file)?.[1]
    return id === undefined ? [] : { filename: `${id}.sql`, path: join(folder, file) }
  })
  const migrations = files.map(async ({ filename, path }) => {
    const sql = await readFile(path, 'utf8')
    const [, previous, hash] = /^--! Previous: (\S+)\n--! Hash: (\S+)$/m.exec(sql) ?? []
    if (previous === undefined || hash === undefined) {
      throw new Error(`${path} is not a committed migration: it has no hash`)
    }
    return { filename, hash, previous: previous === '-' ? null : previous, sql }
  })
  return (await Promise.all(migrations)).toSorted((one, other) => (one.filename < other.filename ? -1 : 1))
}

/** The committed migrations that a database lacks, oldest first. @throws UnknownMigration */
export async function pendingMigrations(
  databaseUrl: string,
  migrationsFolder: string = ourMigrations,
): Promise<string[]> {
  const pending = await withSafeClient(databaseUrl, (client) => lackingMigrations(client, migrationsFolder))
  return pending.map(({ filename }) => filename)
}

/** The same by a connection, with their SQL. @throws UnknownMigration */
export async function lackingMigrations(client: Client, migrationsFolder: string): Promise<Migration[]> {
  const committed = await committedMigrations(migrationsFolder)
  const installed = await installedMigrations(client)
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

/** The tables in which graphile-migrate, the contributors' tool, records migrations. */
const tables = `
  create schema if not exists graphile_migrate;
  create table if not exists graphile_migrate.migrations (
    hash text primary key,
    previous_hash text references graphile_migrate.migrations,
    filename text not null,
    date timestamptz not null default now()
  );
  create table if not exists graphile_migrate.current (
    filename text primary key default 'current.sql',
    content text not null,
    date timestamptz not null default now()
  );`

export async function makeMigrationTables(client: Client): Promise<void> {
  await client.query(tables)
}

/** Runs a migration in the open transaction, and notes that the database has it. */
export async function runMigration(client: Client, { filename, hash, previous, sql }: Migration): Promise<void> {
  await client.query(sql)
  await client.query('reset role')
  await client.query('insert into graphile_migrate.migrations (hash, previous_hash, filename) values ($1, $2, $3)', [
    hash,
    previous,
    filename,
  ])
}
