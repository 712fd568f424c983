import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const migrations = join(import.meta.dirname, '../../migrations')

/** The name by which a database knows the migration of `nextRelease`. */
export const nextMigration = '999999.sql'

/** The next release adds a column to a large table, an indexed column to a view, and changes the
 * kind of a function. */
const additions = `
set local role studio_owner;
alter table app.items add column shelf text, alter column shelf set statistics 0;
alter table app.locations add column floor integer not null default 0, alter column floor set statistics 0;
create index locations_by_floor on app.locations (studio_id, floor);
grant select (floor) on app.locations to studio_api;
--!include api_v1/views/locations.sql
drop function api_v1.get_account;
`

/** A migration that builds an index while people write the table. */
export const concurrentIndex = `--! no-transaction
-- Lists by name.
create index concurrently if not exists items_by_own_name on app.items (studio_id, name);
`

/** A folder with the migrations of this release and one that adds all that, and installs every
 * function and grant again. */
export async function additiveRelease(): Promise<string> {
  const manifest = await readFile(join(migrations, 'fixtures/all.sql'), 'utf8')
  const replaced = manifest.match(/^--!include (\w+\/functions|grants\/studio_(?!owner|backup))\S+$/gm) ?? []
  const text = await included([additions, ...replaced, 'reset role;'].join('\n'))
  const columns = /(select\n {2}l\.id, l\.name,[^;]*?)\nfrom app\.locations l/
  if (replaced.length < 50 || !columns.test(text))
    throw new Error('sql/api_v1/views/locations.sql is laid out otherwise')
  return nextRelease(text.replace(columns, '$1, l.floor\nfrom app.locations l'))
}

/** A folder with the migrations of this release and more, of which the last is `nextMigration`. */
export async function nextRelease(...bodies: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-release-'))
  await cp(join(migrations, 'committed'), join(folder, 'committed'), { recursive: true })
  const newest = (await readdir(join(folder, 'committed'))).toSorted().at(-1) ?? ''
  let previous = /^--! Hash: (\S+)$/m.exec(await readFile(join(folder, 'committed', newest), 'utf8'))?.[1]
  for (const [index, body] of bodies.entries()) {
    const hash = `sha1:${index}`
    const header = `--! Previous: ${previous}\n--! Hash: ${hash}\n--! AllowInvalidHash\n\n`
    await writeFile(join(folder, 'committed', `${1_000_000 - bodies.length + index}.sql`), header + body)
    previous = hash
  }
  return folder
}

/** A text with the files of sql/ in the place of its `--!include` lines. */
export async function included(text: string): Promise<string> {
  const lines = text.split('\n').map(async (line) => {
    const file = /^--!include (\S+)$/.exec(line)?.[1]
    return file === undefined ? line : included(await readFile(join(migrations, 'fixtures', file), 'utf8'))
  })
  return (await Promise.all(lines)).join('\n')
}
