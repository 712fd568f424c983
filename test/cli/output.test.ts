import { describe, expect, test } from 'vitest'
import { layOut } from '../../src/cli/output.ts'
import { runHere, useCli } from './here.ts'

const cli = useCli()
const run = (...args: string[]) => runHere(args, cli.env({ PHOTOS_DIR: cli.folder.path, LOG_LEVEL: 'silent' }))

/** The one document that a command prints. */
async function json(...args: string[]) {
  const { status, stdout, stderr } = await run(...args, '--json')
  expect({ status, stderr }).toMatchObject({ status: 0 })
  const answer = JSON.parse(stdout)
  expect(namesIn(answer).filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([])
  return answer
}

/** Every name in a document. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inside]) => [name, ...namesIn(inside)])
}

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const one = ['--studio', 'One']

test('every command that answers prints one JSON document when asked for it, with names in snake_case', async () => {
  const studio = await json('studio', 'create', 'One', '--owner-email', 'olga@one.example', '--timezone', 'Asia/Tokyo')
  expect(studio).toEqual({
    ...{ id: uuid, name: 'One', owner_email: 'olga@one.example', plan: 'studio' },
    ...{ timezone: 'Asia/Tokyo', currency: 'EUR' },
  })
  const { id } = studio
  expect(await json('studio', 'public-api', 'One', 'on')).toEqual({ studio_id: id, public_api: true })
  const year = ['studio', 'financial-year', ...one, '--month']
  expect(await json(...year, '4')).toEqual({ studio_id: id, month: 4, new_values: 0 })
  expect(await json(...year, 'none')).toEqual({ studio_id: id, month: null, new_values: 0 })

  const token = await json('token', 'create', ...one, '--name', 'First')
  const revoked = await json('token', 'revoke', ...one, 'First')
  expect(revoked).toEqual({ id: token.id, name: 'First', prefix: token.prefix, revoked_at: moment })

  const analyst = await json('analyst', 'create', ...one)
  expect(await json('analyst', 'drop', analyst.login)).toEqual({
    ...{ login: analyst.login, dropped: true, kept_because: null, ended: 0, open_because: null },
  })
  expect(await json('analyst', 'token', ...one, '--minutes', '5')).toEqual({
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    life_seconds: 300,
  })

  expect(await json('migrate')).toEqual({ migrated: [] })
  expect(await json('url', '--as', 'api')).toEqual({ role: 'api', url: expect.stringContaining('studio_api') })
  const matrix = await json('audit', '--matrix')
  const row = { relation: expect.any(String), column: expect.any(String), privileges: expect.any(Object) }
  expect(matrix).toEqual({ roles: expect.arrayContaining(['studio_api']), rows: expect.arrayContaining([row]) })

  const output = cli.at('a.csv')
  expect(await json('report', ...one, '--as', 'csv', '--output', output)).toMatchObject({
    file: output,
    studio: 'One',
    items: 0,
    estimated_value: '0.00',
  })
}, 120_000)

test('an import tells its numbers as JSON, and its errors too, with the status 1', async () => {
  await cli.newStudio('Two', 'tom@two.example')
  const path = await cli.file('items.csv', 'external_key,name\nA,One\nB,Two\n')
  expect(await json('import', 'items', path, '--studio', 'Two', '--dry-run')).toEqual({
    ...{ dry_run: true, rows: 2, added: 2, changed: 0, unchanged: 0, archived: 0, notes: [] },
    changes: {
      columns: [{ name: 'name', shows: 'text' }],
      rows: [
        { line: 2, key: 'A', is_new: true, odd: [], values: [{ before: null, after: 'One' }] },
        { line: 3, key: 'B', is_new: true, odd: [], values: [{ before: null, after: 'Two' }] },
      ],
    },
    errors: { count: 0, lines: 0, different: 0, causes: [] },
  })
  await cli.file('items.csv', 'external_key,name,location\nA,One,Attic\nB,Two,Attic\n')
  const { status, stdout, stderr } = await run('import', 'items', path, '--studio', 'Two', '--json')
  expect(status).toBe(1)
  expect(stderr).toContain('studio-inventory: nothing was imported: 1 error on 2 lines\n')
  expect(JSON.parse(stdout).errors).toEqual({
    count: 2,
    lines: 2,
    different: 1,
    causes: [
      {
        column: 'location',
        value: 'Attic',
        problem: 'matches nothing in this studio',
        remedy: 'write the external key, id or name of a location that exists',
        doubt: null,
        count: 2,
        lines: [2, 3],
        more: 0,
      },
    ],
  })
  const columns = await json('import', '--template', 'market-values')
  expect(columns[0]).toEqual({
    name: 'item',
    required: true,
    accepts: 'text of up to 200 characters',
    description: expect.stringContaining('The item'),
  })
})

const columns = {
  name: { heading: 'NAME' },
  amount: { heading: 'AMOUNT', numeric: true },
  id: { heading: 'ID' },
} as const
const rows = [
  { name: 'A microphone with a very long name', amount: '1.00', id: '0b0f2c9e-5d0a' },
  { name: '東京スタジオの録音機材一覧表', amount: '12345.00', id: null },
]

describe('a table', () => {
  test('in a pipe leaves nothing out and is aligned', () => {
    expect(layOut(rows, columns, 999)).toEqual([
      'NAME                                  AMOUNT  ID',
      'A microphone with a very long name      1.00  0b0f2c9e-5d0a',
      '東京スタジオの録音機材一覧表        12345.00  -',
    ])
  })

  test('that is wider than the terminal has a block of lines for each row, with nothing left out', () => {
    expect(layOut(rows, columns, 59)).toHaveLength(3)
    expect(layOut(rows, columns, 58).slice(0, 5)).toEqual([
      'NAME    A microphone with a very long name',
      'AMOUNT  1.00',
      'ID      0b0f2c9e-5d0a',
      '',
      'NAME    東京スタジオの録音機材一覧表',
    ])
  })

  test('is not broken by a line break or an escape sequence in a cell', () => {
    expect(layOut([{ name: 'a\nb\u001b[31mc', amount: '', id: 'x' }], columns, 999)[1]).toBe('a b [31mc       -  x')
  })
})
