import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase, testSecretKey } from '../support/server.ts'
import { runHere } from './here.ts'

let eu1: TestDatabase
let eu2: TestDatabase
let folder: string
/** The environment in which both cells are there, and the one in which eu2 cannot be reached. */
let both: Record<string, string>
let oneAway: Record<string, string>
let attic: string

beforeAll(async () => {
  ;[eu1, eu2] = await Promise.all([createTestDatabase(), createTestDatabase()])
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-cells-'))
  both = await environment('both.json', eu2.adminUrl)
  oneAway = await environment('away.json', 'postgresql://nobody:hush@127.0.0.1:1/none')
  const made = await run('studio', 'create', 'Attic Sound', '--owner-email', 'olga@attic.example', '--cell', 'eu2')
  expect(made).toMatchObject({ status: 0 })
  attic = made.stdout.trim()
})
afterAll(async () => {
  await Promise.all([eu1?.drop(), eu2?.drop()])
  if (folder) await rm(folder, { recursive: true })
})

async function environment(name: string, second: string) {
  const file = join(folder, name)
  const cells = [
    { name: 'eu1', databaseUrl: eu1.adminUrl },
    { name: 'eu2', databaseUrl: second },
  ]
  await writeFile(file, JSON.stringify({ cells }))
  return { CELLS_FILE: file, SECRET_KEY: testSecretKey, LOG_LEVEL: 'silent' }
}
const run = (...args: string[]) => runHere(args, both)
const json = async <Answer>(...args: string[]) => JSON.parse((await run(...args, '--json')).stdout) as Answer

test('what names a studio finds its cell, by name or id', async () => {
  for (const studio of ['attic sound', attic]) {
    const { status, stdout } = await run('token', 'create', '--studio', studio, '--name', 'Books')
    expect({ status, stdout }).toEqual({ status: 0, stdout: expect.stringMatching(/^svc_studio_\w{32}\n$/) })
  }
  expect(await json('token', 'list', '--studio', attic)).toHaveLength(2)
  expect(await run('member', 'list', '--studio', attic)).toMatchObject({ status: 0 })
})

test('an analyst is created in the cell of the studio, and the login finds it, too', async () => {
  const { url } = await json<{ url: string }>('analyst', 'create', '--studio', attic)
  expect(new URL(url).pathname).toBe(`/${eu2.name}`)
  const { username: login } = new URL(url)
  expect(await json('analyst', 'list')).toMatchObject([{ login, cell: 'eu2' }])
  expect(await run('analyst', 'token', '--login', login)).toMatchObject({ status: 0 })
  expect(await run('analyst', 'drop', login)).toMatchObject({ status: 0 })
})

test('the list of studios spans cells', async () => {
  await run('studio', 'create', 'Barn', '--owner-email', 'bo@barn.example', '--cell', 'eu1')
  expect(await json('studio', 'list')).toMatchObject([
    { name: 'Attic Sound', cell: 'eu2' },
    { name: 'Barn', cell: 'eu1' },
  ])
  const { stdout } = await run('studio', 'list')
  expect(stdout).toMatch(/NAME .* CELL .*\nAttic Sound .* eu2 .*\nBarn .* eu1 /)
  expect(await json('studio', 'list', '--cell', 'eu1')).toMatchObject([{ name: 'Barn' }])
})

test('a name that two cells know has to be said more precisely', async () => {
  for (const cell of ['eu1', 'eu2']) {
    await run('studio', 'create', 'Twins', '--owner-email', 'tom@twins.example', '--cell', cell)
  }
  expect(await run('token', 'list', '--studio', 'Twins')).toMatchObject({
    status: 1,
    stderr: expect.stringContaining("several cells have a studio 'Twins': eu1, eu2\nGive its id, or say which cell"),
  })
  expect(await run('token', 'list', '--studio', 'Twins', '--cell', 'eu1')).toMatchObject({ status: 0 })
})

test('migrate goes through all cells and names each', async () => {
  const { status, stdout } = await run('migrate')
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'eu1: The database is up to date.\neu2: The database is up to date.\n',
  })
  expect(await json('migrate')).toEqual({
    cells: [
      { cell: 'eu1', migrated: [] },
      { cell: 'eu2', migrated: [] },
    ],
  })
})

test('values are refreshed in all cells', async () => {
  const { status, stdout } = await run('valuation', 'refresh')
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'eu1: 0 items have a new value.\neu2: 0 items have a new value.\n',
  })
})

describe('with a cell that cannot be reached', () => {
  const here = (...args: string[]) => runHere(args, oneAway)

  test('migrate does the others, names it, and fails', async () => {
    const { status, stdout, stderr } = await here('migrate')
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'eu1: The database is up to date.\n' })
    expect(stderr).toMatch(/^studio-inventory: cell eu2: cannot use the PostgreSQL database none .*ECONNREFUSED/)
    expect(stderr).not.toContain('hush')
  })

  test('a name may also be there, so nothing is done; an id is found', async () => {
    expect(await here('token', 'list', '--studio', 'Barn')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cell eu2: cannot use'),
    })
    const [barn] = await json<{ id: string }[]>('studio', 'list', '--cell', 'eu1')
    expect(await here('token', 'list', '--studio', barn?.id ?? '')).toMatchObject({ status: 0 })
    expect(await here('token', 'list', '--studio', 'Barn', '--cell', 'eu1')).toMatchObject({ status: 0 })
  })
})

test.each([
  [
    ['studio', 'create', 'New', '--owner-email', 'a@b.example'],
    'CELLS_FILE has several cells: eu1, eu2\nSay which one with --cell.',
  ],
  [['url'], 'CELLS_FILE has several cells: eu1, eu2'],
  [['url', '--cell', 'eu3'], "there is no cell 'eu3': did you mean 'eu1'?\nCELLS_FILE has eu1, eu2."],
  [['token', 'list', '--studio', 'Atic Sound'], "no cell has a studio 'Atic Sound': did you mean 'Attic Sound'?"],
  [['audit', '--matrix'], '--matrix shows one cell\nSay which one with --cell'],
])('%j says what is missing', async (args, message) => {
  const { status, stderr } = await run(...args)
  expect(status).toBe(1)
  expect(stderr).toContain(message)
})

test('--cell is nothing for one database', async () => {
  const alone = { DATABASE_URL: eu1.adminUrl, SECRET_KEY: testSecretKey }
  expect(await runHere(['url', '--cell', 'eu1'], alone)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('--cell: there is one database only: CELLS_FILE is not set'),
  })
})
