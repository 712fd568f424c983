import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { beforeEach, expect, it } from 'vitest'
import { writeWholeFile } from '../../src/cli/report.ts'
import { useFolder } from '../support/folder.ts'
import { useWorld } from '../support/world.ts'
import { expectRefused, runHere } from './here.ts'
import { envFor } from './run.ts'

const world = useWorld()
const temporary = useFolder()
let folder: string
const file = (name: string) => temporary.at(`own/${name}`)
const run = (...args: string[]) =>
  runHere(['report', ...args], envFor(world.database, { PHOTOS_DIR: world.photosDir, LOG_LEVEL: 'silent' }))

beforeEach(async () => {
  folder = temporary.at('own')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder)
})

it('writes the file, and reports its content on standard output and its gaps on standard error', async () => {
  const done = await run('--studio', 'attic sound', '--as', 'pdf', '--output', file('a.pdf'))
  expect(done).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(
      /a\.pdf: 6 items of Attic Sound on \d{4}-\d\d-\d\d, value EUR [\d,]+\.\d\d, reported as insured 21,300\.00; under-declared [\d,]+\.\d\d, not declared [\d,]+\.\d\d, over-declared [\d,]+\.\d\d\n$/,
    ),
  })
  // How many lines of progress there are depends on the time it takes.
  expect(done.stderr.replace(/^Writing.*\n/gm, '')).toBe(
    '2 items have no value; reported as insured: 0.00\n1 photo is missing\n',
  )
  expect((await readFile(file('a.pdf'))).subarray(0, 5).toString()).toBe('%PDF-')
  expect(await readdir(folder)).toEqual(['a.pdf'])
})

it('of another day is named after the studio and the day, and replaces a file of that name', async () => {
  const before = process.cwd()
  process.chdir(folder)
  try {
    await writeFile(file('equipment-attic-sound-2026-03-31.csv'), 'old')
    const done = await run('--studio', 'Attic Sound', '--as', 'csv', '--on', '2026-03-31')
    expect(done.status, done.stderr).toBe(0)
    expect(await readdir(folder)).toEqual(['equipment-attic-sound-2026-03-31.csv'])
    expect(await readFile(file('equipment-attic-sound-2026-03-31.csv'), 'utf8')).toContain('Large microphone')
  } finally {
    process.chdir(before)
  }
})

it.each([
  ['an unknown studio', ['--studio', 'Nowhere', '--as', 'csv'], "there is no studio 'Nowhere'"],
  ['a day that is none', ['--studio', 'Attic Sound', '--as', 'csv', '--on', '2026-02-30'], 'YYYY-MM-DD'],
  [
    'a reader whose name does not fit',
    ['--studio', 'Attic Sound', '--as', 'csv', '--prepared-for', 'x'.repeat(121)],
    '--prepared-for may have 120 characters, and has 121: shorten it',
  ],
  ['no format', ['--studio', 'Attic Sound'], "required option '--as <format>' not specified"],
])('%s is an error, and nothing is written', async (_what, args, message) => {
  expectRefused(await run(...args, '--output', file('a.csv')), message)
  expect(await readdir(folder)).toEqual([])
})

it('a place that cannot be written is an error, before anything is read', async () => {
  const write = (output: string) => run('--studio', 'Attic Sound', '--as', 'csv', '--output', output)
  expectRefused(await write(file('no/such/a.csv')), /cannot write.*there is no such folder/)
  expectRefused(await write(folder), 'is a folder')
})

it('a report that fails halfway leaves the file that was there, and nothing else', async () => {
  await writeFile(file('a.csv'), 'the report of last month')
  const failing = writeWholeFile(file('a.csv'), async (sink) => {
    sink.write('half of ')
    throw new Error('the connection was lost')
  })
  await expect(failing).rejects.toThrow('the connection was lost')
  expect(await readFile(file('a.csv'), 'utf8')).toBe('the report of last month')
  expect(await readdir(folder)).toEqual(['a.csv'])
})
