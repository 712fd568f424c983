import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { migrate } from '../../../src/database/migrate.ts'
import { ourMigrations } from '../../../src/database/migrations.ts'
import { log, secretKey } from './server.ts'

export const partitions = 16
const tables = ['items', 'item_valuations']

/**
 * Makes the database of this release with `items` and `item_valuations` in hash partitions by studio: by the same migrations, in
 * which the two tables are created so, and the trigger that tells tables apart knows partitions.
 *
 * @param folder for the changed migrations
 */
export async function migratePartitioned(url: string, folder: string): Promise<void> {
  const [from, to] = [join(ourMigrations, 'committed'), join(folder, 'committed')]
  await mkdir(to, { recursive: true })
  for (const file of await readdir(from)) {
    const migration = await readFile(join(from, file), 'utf8')
    await writeFile(join(to, file), marked(migration, changed(migration)))
  }
  await migrate(url, secretKey, log, folder)
}

function marked(before: string, after: string): string {
  return before === after ? after : after.replace(/^--! Message/m, '--! AllowInvalidHash\n--! Message')
}

function changed(migration: string): string {
  const own = migration.replaceAll(
    `tg_relid = 'app.items'::regclass`,
    `coalesce(pg_catalog.pg_partition_root(tg_relid), tg_relid) = 'app.items'::regclass`,
  )
  return tables.reduce((text, table) => {
    const start = text.indexOf(`create table app.${table} (`)
    if (start < 0) return text
    const end = text.indexOf('\n);', start)
    const parts = Array.from(
      { length: partitions },
      (_, n) =>
        `create table app.${table}_${n} partition of app.${table} for values with (modulus ${partitions}, remainder ${n});`,
    )
    return `${text.slice(0, end)}\n) partition by hash (studio_id);\n${parts.join('\n')}${text.slice(end + 3)}`
  }, own)
}
