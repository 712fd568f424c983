import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { released } from '../../scripts/release-changelog.ts'
import { gateMessage } from '../support/gate-message.ts'

const root = join(import.meta.dirname, '../..')
const sizes = ['patch', 'minor', 'major']

it('the next version is as large as the lines under "Unreleased" need', async () => {
  const changelog = await readFile(join(root, 'CHANGELOG.md'), 'utf8')
  const [, unreleased = ''] = changelog.split(/^## .+$/m)
  const files = (await readdir(join(root, '.changeset'))).filter((name) => name.endsWith('.md'))
  const texts = await Promise.all(files.map((name) => readFile(join(root, '.changeset', name), 'utf8')))
  const found = texts.map((text) => sizes.indexOf(/^"studio-inventory": (\w+)$/m.exec(text)?.[1] ?? ''))
  const needed = /^### (?!Fixed|Security)/m.test(unreleased) ? 1 : unreleased.trim() === '' ? -1 : 0
  const wrong = gateMessage({
    wrong: `no changeset asks for a ${sizes[needed]} version, which the changelog needs`,
    edit: '.changeset/, by `npx changeset`',
    run: 'npx vitest run test/gates/release.test.ts',
  })
  expect(Math.max(-1, ...found), wrong).toBeGreaterThanOrEqual(needed)
})

it('a release moves the unreleased lines under its version', () => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n### Fixed\n\n- A.\n\n## [1.0.0] - 2026-11-22\n\nFirst.\n'
  const expected =
    '# Changelog\n\n## [Unreleased]\n\n## [1.0.1] - 2027-01-02\n\n### Fixed\n\n- A.\n\n## [1.0.0] - 2026-11-22\n\nFirst.\n'
  expect(released(changelog, '1.0.1', '2027-01-02')).toBe(expected)
  expect(() => released(expected, '1.0.1', '2027-01-02')).toThrow('has 1.0.1 already')
  expect(() => released(expected, '1.0.2', '2027-01-02')).toThrow('nothing under')
  expect(released('# Changelog\n\n## [Unreleased]\n\n- A.\n', '1.0.0', '2027-01-02')).toBe(
    '# Changelog\n\n## [Unreleased]\n\n## [1.0.0] - 2027-01-02\n\n- A.\n',
  )
})
