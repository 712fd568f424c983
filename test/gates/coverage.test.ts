import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { gateMessage } from '../support/gate-message.ts'

/** Everything here is fixed in one place. */
const amiss = (wrong: string) =>
  gateMessage({ wrong, edit: 'docs/coverage.md', run: 'npx vitest run test/gates/coverage.test.ts' })

const tests = join(import.meta.dirname, '..')
const page = await readFile(join(tests, '../docs/coverage.md'), 'utf8')

type Row = { section: string; number: string; sentence: string; proof: string }

/** The rows of the tables, each with the heading above it. */
const rows = page.split('\n').reduce<{ section: string; rows: Row[] }>(
  (read, line) => {
    const section = /^#{2,4} (.+)$/.exec(line)?.[1] ?? read.section
    const [, number, sentence, proof] = /^\| (\d+[a-z]?) \| (.+?) \| (.+) \|$/.exec(line) ?? []
    if (number && sentence && proof) read.rows.push({ section, number, sentence, proof })
    return { section, rows: read.rows }
  },
  { section: '', rows: [] },
).rows

/** The tests that a row names: file and name. */
const proofs = rows.flatMap(({ section, number, proof }) =>
  [...proof.matchAll(/`([\w/.-]+\.test\.ts)` ([^<]+?)(?= <br>|$)/g)].map(([, file = '', name = '']) => ({
    at: `${section} ${number}`,
    file,
    name: name.trim(),
  })),
)

it('docs/coverage.md has a row for the sentences of every section, and proof or a reason in each', () => {
  const sections = new Set(rows.map(({ section }) => section))
  expect(page.match(/^#{2,4} .+$/gm)).toHaveLength(sections.size)
  expect(rows.length).toBeGreaterThan(100)
  for (const { section, number, proof } of rows) {
    const named = proofs.filter(({ at }) => at === `${section} ${number}`)
    const wrong = amiss(`${section} ${number}: names neither a file and a test in it, nor a reason after "— "`)
    expect(named.length > 0 || proof.startsWith('— '), wrong).toBe(true)
    expect(proof.match(/`[\w/.-]+\.test\.ts`/g)?.length ?? 0, wrong).toBe(named.length)
  }
})

it('every test that docs/coverage.md names exists, in the file that it names', async () => {
  const texts = new Map<string, string>()
  for (const { file } of proofs) texts.set(file, await readFile(join(tests, file), 'utf8').catch(() => ''))
  const wrong = amiss('rows name tests that are not there: renamed or moved, they go on by their new name and file')
  expect(
    proofs.filter(({ file, name }) => !isTested(texts.get(file) ?? '', name)),
    wrong,
  ).toEqual([])
})

it('docs/coverage.md names every file of test/rest and test/properties that is about the API’s answers', async () => {
  for (const folder of ['rest', 'properties']) {
    const files = (await readdir(join(tests, folder))).filter((file) => file.endsWith('.test.ts'))
    const named = new Set(proofs.map(({ file }) => file))
    // What happens when the database is away is the design's promise, not the specification's.
    const unnamed = files.map((file) => `${folder}/${file}`).filter((file) => !named.has(file))
    expect(
      unnamed.filter((file) => file !== 'rest/outages.test.ts'),
      amiss('no sentence of the specification is proved by these files'),
    ).toEqual([])
  }
})

/** Whether a text has a test whose name contains this one: in quotes, the first of the arguments of a call. */
function isTested(text: string, name: string): boolean {
  const exactly = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`\\(\\s*(['"\`])[^\\n]*${exactly}[^\\n]*\\1,`).test(text)
}
