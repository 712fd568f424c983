import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { gateMessage } from '../support/gate-message.ts'

/** The recipe of CONTRIBUTING for a new list, followed by the letter in a copy of the checkout. */

const root = join(import.meta.dirname, '../..')
const heading = '## A new list, step by step'

type Step = { language: string; text: string; file: string | undefined }

/** The blocks of code of the recipe, each with the file that the words before it tell to write or
 * change. */
async function readSteps(): Promise<Step[]> {
  const page = await readFile(join(root, 'CONTRIBUTING.md'), 'utf8')
  const recipe = page.slice(page.indexOf(heading) + heading.length).split(/^## /m)[0] ?? ''
  let file: string | undefined
  const pieces = recipe.split(/^```(\w+)\n(.*?)^```$/ms)
  const steps: Step[] = []
  for (let at = 0; at + 2 < pieces.length; at += 3) {
    file = /(?:Write|Change)\s+`([\w./-]+)`/.exec(pieces[at] ?? '')?.[1] ?? file
    steps.push({ language: pieces[at + 1] ?? '', text: pieces[at + 2] ?? '', file })
  }
  return steps
}

let copy: string
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'studio-inventory-recipe-'))
  const left = ['node_modules', '.git', 'dist', 'data']
  await cp(root, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path === root || !left.includes(basename(path)),
  })
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(() => rm(copy, { recursive: true, force: true }))

/** Runs a command in the copy, on the server of this run. */
async function run(command: string): Promise<void> {
  const { PATH, TEST_DATABASE_URL: _, VITEST: __, ...others } = process.env
  const env = { ...others, PATH: `${join(root, 'node_modules/.bin')}:${PATH}`, NO_COLOR: '1' }
  await promisify(execFile)('bash', ['-c', command], {
    ...{ cwd: copy, maxBuffer: 100_000_000 },
    env: { ...env, TEST_DATABASE_URL: inject('testServer').adminUrl },
  }).catch(({ stdout = '', stderr = '', message }) => {
    const wrong = `the recipe does not work: ${command}\n${stdout.slice(-4_000)}\n${stderr.slice(-4_000)}\n${message.slice(0, 300)}`
    const edit = `"${heading.slice(3)}" of CONTRIBUTING.md, or what makes the recipe longer`
    throw new Error(gateMessage({ wrong, edit, run: 'npx vitest run --project recipe' }))
  })
}

/** Adds the lines with + where the others stand, one below the other. */
async function change(file: string, difference: string): Promise<void> {
  const lines = difference.trimEnd().split('\n')
  const after = lines.map((line) => `${line.slice(1)}\n`).join('')
  const before = lines.map((line) => (line.startsWith('+') ? '' : `${line.slice(1)}\n`)).join('')
  const parts = (await readFile(join(copy, file), 'utf8')).split(before)
  expect(parts, `CONTRIBUTING.md: these lines have to be in ${file} once:\n${before}`).toHaveLength(2)
  await writeFile(join(copy, file), parts.join(after))
}

/** The tests of `npm test` that meet a new list, by parts of their names. `npm run generate` has run
 * those of its files. */
const tests = [
  ...['list_photos', 'photos of an item', 'promises answers', 'each tool answers', 'can be found'],
  ...['the audit finds', 'imports'],
]

/** What `npm test && npm run lint` of the last step has for it, in a tenth of the time. */
const checks = [
  'npx tsc --noEmit && node scripts/lint-sql.ts && npx biome check --error-on-warnings src/api test/rest',
  `npx vitest run --project default -t '(${tests.join('|')})' test/rest/{photos,every,isolation} test/mcp/tools \
    test/gates/boundaries test/openapi/{examples,responses} test/isolation/audit`,
]

test('a new list takes six files by hand, answers, and passes the checks', async () => {
  const written = new Set<string>()
  for (const { language, text, file = '' } of await readSteps()) {
    if (language === 'sh') {
      for (const command of text.includes('npm test') ? checks : [text]) await run(command)
      continue
    }
    written.add(file)
    if (language === 'diff') await change(file, text)
    else await writeFile(join(copy, file), text)
  }
  expect([...written, 'CHANGELOG.md']).toHaveLength(6)
  const description = await readFile(join(copy, 'docs/openapi.yaml'), 'utf8')
  expect(description).toContain('  /photos:\n')
})
