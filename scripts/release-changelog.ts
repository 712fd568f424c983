import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Moves what is under "Unreleased" in a changelog to a version, and leaves "Unreleased" empty.
 *
 * @param day of the release, as YYYY-MM-DD
 * @throws when nothing is unreleased, or the version has been released
 */
export function released(changelog: string, version: string, day: string): string {
  if (changelog.includes(`\n## [${version}] `)) throw new Error(`CHANGELOG.md has ${version} already`)
  const [, before, lines, rest] = /^(.*\n## \[Unreleased\]\n)(.*?)((?:\n## \[.*)?)$/s.exec(changelog) ?? []
  if (before === undefined || lines?.trim() === '')
    throw new Error('CHANGELOG.md has nothing under "## [Unreleased]" to release')
  return `${before}\n## [${version}] - ${day}\n${lines}${rest}`
}

/** Run by `npm run release:version`, after `changeset version` has written the version into package.json. */
if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, '..')
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
  const path = join(root, 'CHANGELOG.md')
  await writeFile(path, released(await readFile(path, 'utf8'), version, new Date().toISOString().slice(0, 10)))
}
