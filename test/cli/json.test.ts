import { writeFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { manifest } from '../../src/config/config.ts'
import { runHere, useCli } from './here.ts'
import { runCli } from './run.ts'

const cli = useCli()
const run = (...args: string[]) => runHere(args, cli.env({ PHOTOS_DIR: cli.folder, LOG_LEVEL: 'silent' }))

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

test('--version prints the version, and needs no configuration', async () => {
  expect(await runCli(['--version'], { PORT: 'wrong' })).toEqual({
    status: 0,
    stdout: `${manifest.version}\n`,
    stderr: '',
  })
})

test('every command that answers prints one JSON document when asked for it, with names in snake_case', async () => {
  const studio = await json('studio', 'create', 'One', '--owner-email', 'olga@one.example', '--timezone', 'Asia/Tokyo')
  expect(studio).toEqual({
    id: uuid,
    name: 'One',
    owner_email: 'olga@one.example',
    plan: 'studio',
    timezone: 'Asia/Tokyo',
    currency: 'EUR',
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
    login: analyst.login,
    dropped: true,
    kept_because: null,
    ended: 0,
    open_because: null,
  })
  expect(await json('analyst', 'token', ...one, '--minutes', '5')).toEqual({
    token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    life_seconds: 300,
  })

  expect(await json('valuation', 'refresh')).toEqual({ new_values: 0 })
  expect(await json('migrate')).toEqual({ migrated: [] })
  expect(await json('url', '--as', 'api')).toEqual({ role: 'api', url: expect.stringContaining('studio_api') })
  const matrix = await json('audit', '--matrix')
  const row = { relation: expect.any(String), column: expect.any(String), privileges: expect.any(Object) }
  expect(matrix).toEqual({ roles: expect.arrayContaining(['studio_api']), rows: expect.arrayContaining([row]) })

  const csv = (await cli.run('audit', '--matrix', '--format', 'csv')).stdout
  expect(csv).toMatch(/^relation,column,studio_analyst,studio_api,.*\n/)
  expect(csv).toContain('\napp.policies,notes,,,,,,,INSERT SELECT UPDATE\n')

  const output = cli.at('a.csv')
  expect(await json('report', ...one, '--as', 'csv', '--output', output)).toMatchObject({
    file: output,
    studio: 'One',
    items: 0,
    value: '0.00',
  })
}, 120_000)

test('an import tells its numbers as JSON, and its errors too, with the status 1', async () => {
  await run('studio', 'create', 'Two', '--owner-email', 'tom@two.example')
  const path = cli.at('items.csv')
  await writeFile(path, 'external_key,name\nA,One\nB,Two\n')
  expect(await json('import', 'items', path, '--studio', 'Two', '--dry-run')).toEqual({
    dry_run: true,
    rows: 2,
    added: 2,
    changed: 0,
    unchanged: 0,
    archived: 0,
    notes: [],
    changes: {
      columns: [{ name: 'name', shows: 'text' }],
      rows: [
        { line: 2, key: 'A', is_new: true, odd: [], values: [{ before: null, after: 'One' }] },
        { line: 3, key: 'B', is_new: true, odd: [], values: [{ before: null, after: 'Two' }] },
      ],
    },
    errors: { count: 0, lines: 0, different: 0, causes: [] },
  })
  await writeFile(path, 'external_key,name,location\nA,One,Attic\nB,Two,Attic\n')
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
