import { WriteStream } from 'node:tty'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { asOwner, createTestDatabase, type TestDatabase } from '../support/server.ts'
import { runHere } from './here.ts'
import { envFor } from './run.ts'

let database: TestDatabase
const long = 'The Northlight Recording and Mastering Studios of the Upper Valley'

beforeAll(async () => {
  database = await createTestDatabase()
  await asOwner(database, (owner) => owner.query(`select access.create_studio($1, 'nor@light.example', 'Nor')`, [long]))
})
afterAll(() => database.drop())

const run = (...args: string[]) => runHere(args, envFor(database))
const csi = '\u001b['

/** Standard output and standard error are a terminal of so many columns, which can show colours. */
function onTerminal(columns: number): void {
  const { getColorDepth } = WriteStream.prototype
  for (const stream of streams) Object.assign(stream, { isTTY: true, columns, getColorDepth })
}

const streams = [process.stdout, process.stderr]
const before = streams.map(({ isTTY, columns, getColorDepth }) => ({ isTTY, columns, getColorDepth }))

beforeEach(() => {
  // Node asks all of these whether a terminal can show colours.
  for (const name of ['FORCE_COLOR', 'NO_COLOR', 'NODE_DISABLE_COLORS', 'CI', 'TEAMCITY_VERSION', 'TMUX']) {
    vi.stubEnv(name, undefined)
  }
  vi.stubEnv('TERM', 'xterm-256color')
})
afterEach(() => {
  for (const [index, stream] of streams.entries()) Object.assign(stream, before[index])
  vi.unstubAllEnvs()
})

describe('on a terminal', () => {
  test.each([80, 100, 200])('of %i columns no line of a list is wider, and ids are whole', async (columns) => {
    onTerminal(columns)
    vi.stubEnv('NO_COLOR', '1')
    const { stdout } = await run('studio', 'list')
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns)
    expect(stdout).toMatch(/ [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n/)
    expect(stdout.includes(long)).toBe(columns === 200)
  })

  test('headings are bold, what is done is green and what failed is red', async () => {
    onTerminal(120)
    const [headings = ''] = (await run('studio', 'list')).stdout.split('\n')
    expect([headings.slice(0, 8), headings.slice(-7)]).toEqual([`${csi}1mNAME`, `ID${csi}22m`])
    expect((await run('studio', 'public-api', long, 'on')).stdout).toBe(`${csi}32mThe public API is on.${csi}39m\n`)
    expect((await run('studio', 'nonsense')).stderr).toContain(`${csi}31merror: unknown command`)
  })

  test('NO_COLOR turns colours off', async () => {
    onTerminal(120)
    vi.stubEnv('NO_COLOR', '1')
    expect((await run('studio', 'list')).stdout).not.toContain(csi)
    expect((await run('studio', 'nonsense')).stderr).not.toContain(csi)
    expect((await run('studio', '--help')).stdout).not.toContain(csi)
  })
})

test('in a pipe nothing is coloured and nothing is left out', async () => {
  const { stdout } = await run('studio', 'list')
  expect(stdout).toContain(long)
  expect(stdout).not.toContain(csi)
  expect((await run('studio', 'nonsense')).stderr).not.toContain(csi)
})
