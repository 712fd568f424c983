import { cp, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const migrations = join(import.meta.dirname, '../../migrations')

/** The name by which a database knows the migration of `nextRelease`. */
export const nextMigration = '999999.sql'

/** A folder with the migrations of this release and one more, as the next release would have it. */
export async function nextRelease(body: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-release-'))
  await cp(join(migrations, 'committed'), join(folder, 'committed'), { recursive: true })
  const newest = (await readdir(join(folder, 'committed'))).toSorted().at(-1) ?? ''
  const hash = /^--! Hash: (\S+)$/m.exec(await readFile(join(folder, 'committed', newest), 'utf8'))?.[1]
  const header = `--! Previous: ${hash}\n--! Hash: sha1:0\n--! AllowInvalidHash\n\n`
  await writeFile(join(folder, 'committed', nextMigration), header + body)
  return folder
}
