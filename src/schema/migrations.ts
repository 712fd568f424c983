import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withSafeClient } from '../database/client.ts'

export const ourMigrations = join(import.meta.dirname, '../../migrations')

/** The database has another migration under this name, as unreleased versions before 1.0 had. */
export class UnknownMigration extends Error {
  override name = 'UnknownMigration'
  readonly hint = 'Use an empty database. The embedded one is created again when its data folder is removed.'

  constructor(filename: string) {
    super(
      `this database was made by an unreleased version, from which there is no upgrade (its ${filename} is not the migration of this release)`,
    )
  }
}

/** The committed migrations that a database lacks, oldest first. @throws UnknownMigration */
export async function pendingMigrations(
  databaseUrl: string,
  migrationsFolder: string = ourMigrations,
): Promise<string[]> {
  const committed = await committedMigrations(migrationsFolder)
  const installed = await installedMigrations(databaseUrl)
  for (const { filename, path } of committed) {
    const hash = installed.get(filename)
    if (hash !== undefined && hash !== (await hashOf(path))) throw new UnknownMigration(filename)
  }
  const newest = [...installed.keys()].toSorted().at(-1) ?? ''
  return committed.flatMap(({ filename }) => (filename > newest ? filename : []))
}

/** The names and hashes of the migrations that a database has. */
async function installedMigrations(databaseUrl: string): Promise<Map<string, string>> {
  return withSafeClient(databaseUrl, async (client) => {
    const table = await client.query(`select to_regclass('graphile_migrate.migrations') is not null as exists`)
    if (!table.rows[0].exists) return new Map()
    const { rows } = await client.query('select filename, hash from graphile_migrate.migrations')
    return new Map(rows.map(({ filename, hash }) => [filename, hash]))
  })
}

async function hashOf(path: string): Promise<string> {
  const hash = /^--! Hash: (\S+)$/m.exec(await readFile(path, 'utf8'))?.[1]
  if (hash === undefined) throw new Error(`${path} is not a committed migration: it has no hash`)
  return hash
}

/** A migration of this release: its name in a database, e.g. '000002.sql', and hash, 'sha1:…'. */
export type Migration = { filename: string; hash: string }

/** The newest migration of this release. Its hash covers its content and the hash before it. */
export async function newestMigration(migrationsFolder: string = ourMigrations): Promise<Migration> {
  const newest = (await committedMigrations(migrationsFolder)).at(-1)
  if (newest === undefined) throw new Error(`there are no committed migrations in ${migrationsFolder}`)
  return { filename: newest.filename, hash: await hashOf(newest.path) }
}

/** The committed migrations, oldest first. A database knows 000002-add-tags.sql as 000002.sql. */
async function committedMigrations(migrationsFolder: string): Promise<{ filename: string; path: string }[]> {
  const folder = join(migrationsFolder, 'committed')
  const files = await readdir(folder)
  return files
    .flatMap((file) => {
      const id = /^(\d+)(?:-[-\w]*)?\.sql$/.exec(file)?.[1]
      return id === undefined ? [] : { filename: `${id}.sql`, path: join(folder, file) }
    })
    .toSorted((one, other) => (one.filename < other.filename ? -1 : 1))
}
