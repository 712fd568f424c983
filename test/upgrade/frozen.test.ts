import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { useFolder } from '../support/folder.ts'
import { gateMessage } from '../support/gate-message.ts'
import { unpackLastRelease } from './last-release.ts'

const root = join(import.meta.dirname, '../..')
const folder = useFolder()
let version: string
beforeAll(async () => {
  version = await unpackLastRelease(folder.at('release'))
})

/** The committed migrations below a folder, by name, oldest first. */
async function migrationsIn(path: string): Promise<[name: string, text: string][]> {
  const names = (await readdir(join(path, 'migrations/committed'))).toSorted()
  return Promise.all(
    names.map(async (name) => [name, await readFile(join(path, 'migrations/committed', name), 'utf8')] as const),
  )
}

it('the migrations of the last release are unchanged, and come before all others', async () => {
  const released = await migrationsIn(folder.at('release'))
  const present = (await migrationsIn(root)).slice(0, released.length)
  const wrong = gateMessage({
    wrong:
      `migrations/committed is not what release ${version} installed. Databases have that, and refuse a migration of the same name ` +
      'with another content. Undo the change (git checkout migrations/committed), and write what changes as a new migration.',
    edit: 'migrations/current.sql: "Changing the database" in CONTRIBUTING.md',
    run: `npm run commit-migration -- 'what changes'   # only before ${version} is published: npm run release:freeze`,
  })
  const unlike = released.filter(([name, text], at) => present[at]?.[0] !== name || present[at][1] !== text)
  expect(
    unlike.map(([name]) => name),
    wrong,
  ).toEqual([])
})

it('the release that upgrades are tested from is the last one of the changelog', async () => {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  const [, last] = /^## \[(\d+\.\d+\.\d+)\] /m.exec(changelog) ?? []
  const wrong = `test/upgrade/releases has ${version}`
  expect(last, gateMessage({ wrong, run: 'npm run release:freeze   # in the commit of the release' })).toBe(version)
})
