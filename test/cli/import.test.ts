import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, describe, expect, test } from 'vitest'
import { archivingAgreed } from '../../src/cli/import-options.ts'
import { asOwner } from '../support/server.ts'
import { runHere, useCli } from './here.ts'
import { runCli } from './run.ts'

const cli = useCli()
const studio = 'Import Works'

beforeAll(async () => {
  await asOwner(cli.database, (owner) =>
    owner.query(`select access.create_studio($1, 'ona@works.example', 'Ona')`, [studio]),
  )
})
const run = (...args: string[]) => runHere(['import', ...args], cli.env())
const runProcess = (...args: string[]) => runCli(['import', ...args], cli.env())

const names = async () =>
  (await cli.told('select name from app.items where archived_at is null order by name')).map((row) => row.name)

test('the header that --template prints can be imported', async () => {
  const printed = await run('--template', 'items')
  expect(printed).toMatchObject({ status: 0, stderr: '' })
  expect(printed.stdout).toMatch(/^external_key,name,.*,archived\n$/)
  const path = await cli.file('template.csv', printed.stdout)
  expect(await run('items', path, '--studio', studio)).toMatchObject({
    status: 0,
    stdout: '0 rows: 0 added, 0 changed, 0 unchanged, 0 archived\n',
  })
})

test('numbers go to standard output, and plain lines of progress to standard error', async () => {
  const path = await cli.file('items.csv', 'external_key;name;purchase_price\nA;One;1.50\nB;"Two;\nlines";\n')
  const first = await runProcess('items', path, '--studio', 'import works')
  expect(first).toEqual({
    status: 0,
    stdout: '2 rows: 2 added, 0 changed, 0 unchanged, 0 archived\n',
    stderr: 'Reading …\nChecking …\nWriting 2 items …\n',
  })
  const again = await run('items', path, '--studio', studio, '--dry-run')
  expect(again.stdout).toBe('Dry run, nothing was written. 2 rows: 0 added, 0 changed, 2 unchanged, 0 archived\n')
})

test('a dry run shows ten rows, the oddest first, as they would be written, and all of them on demand', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `D${at},Desk ${at},${at + 1},yes|no,\n`)
  const path = await cli.file('dry.csv', `external_key,name,purchase_price,tags,acquisition_date\n${rows.join('')}`)
  const { stdout } = await run('items', path, '--studio', studio, '--dry-run')
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    'line 13, new: D11 (largest purchase price)',
    '  name              Desk 11',
    '  purchase_price    12.00 EUR',
    '  tags              yes, no',
  ])
  expect(stdout.match(/^line /gm)).toHaveLength(10)
  expect(stdout).toContain('\n… and 2 more: --all-rows shows them\nDry run, nothing was written. 12 rows: 12 added')
  const all = await run('items', path, '--studio', studio, '--dry-run', '--all-rows', '--json')
  expect(JSON.parse(all.stdout).changes.rows).toHaveLength(12)
  expect((await run('items', path, '--studio', studio, '--all-rows')).stderr).toContain('--all-rows is for --dry-run')
})

test('errors go to standard error and the report; the status is 1 and nothing is written', async () => {
  const before = await names()
  const path = await cli.file('bad.csv', 'external_key,name,purchase_price,colour\nX,Ex,"1,5",red\nY,,2,blue\n')
  const report = cli.at('report.csv')
  const { status, stdout, stderr } = await runProcess('items', path, '--studio', studio, '--report', report)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr.split('\n').slice(2)).toEqual([
    `line 1, column 4 "colour": is not a column of items; leave it out with --map 'colour=', or remove it`,
    'line 2, purchase_price "1,5": has a decimal comma; write 1.5',
    'line 3, name: is empty; write a value such as Neumann U 87 Ai',
    'If the file writes decimals with a comma: --decimal comma',
    'studio-inventory: nothing was imported: 3 errors',
    `All are in ${report}`,
    '',
  ])
  expect(await readFile(report, 'utf8')).toMatch(/^line,column,value,problem,remedy\r\n1,column 4,colour,/)
  expect(await names()).toEqual(before)
})

test('a delimiter that the header does not tell can be given', async () => {
  const path = await cli.file('one.csv', 'external_key;name\nS;"Semi;colon"\n')
  expect((await run('items', path, '--studio', studio, '--delimiter', 'semicolon', '--dry-run')).status).toBe(0)
  expect((await run('items', path, '--studio', studio, '--delimiter', 'comma', '--dry-run')).status).toBe(1)
  expect((await run('items', path, '--studio', studio, '--delimiter', '|')).stderr).toContain('comma, semicolon, tab')
})

test('--archive-missing needs --yes without a terminal', async () => {
  const both = await cli.file('both.csv', 'external_key,name\nA,One\nB,Two\n')
  await run('items', both, '--studio', studio)
  const one = await cli.file('one.csv', 'external_key,name\nA,Eins\n')
  const refused = await runProcess('items', one, '--studio', studio, '--archive-missing')
  expect(refused.status).toBe(1)
  expect(refused.stderr).toContain(
    'studio-inventory: 1 item is not in the file and will be archived. Nothing was imported.\nWithout a terminal, confirm it with --yes.\n',
  )
  expect(await names()).toEqual(['One', 'Two'])
  const done = await run('items', one, '--studio', studio, '--archive-missing', '--yes')
  expect(done).toMatchObject({ status: 0, stdout: '1 row: 0 added, 1 changed, 0 unchanged, 1 archived\n' })
  expect(done.stderr).toContain('1 item is not in the file and will be archived.\n')
  expect(await names()).toEqual(['Eins'])
})

test('photos are imported from a folder', async () => {
  const pictures = cli.at('pictures')
  await mkdir(pictures)
  await cli.file('items.csv', 'external_key,name\nA,Eins\n')
  await writeFile(join(pictures, 'A.png'), Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
  expect(await run('photos', pictures, '--studio', studio)).toMatchObject({
    status: 0,
    stdout: '1 row: 1 added, 0 changed, 0 unchanged, 0 archived\n',
  })
})

test.each([
  {
    args: ['gear', 'x.csv'],
    says: 'Allowed choices are locations, items, policies, assignments, maintenance, market-values, depreciation-changes, photos',
  },
  { args: [], says: "missing argument 'kind'" },
  { args: ['items', 'x.csv'], says: "required option '--studio <name-or-id>' not specified" },
  { args: ['items', '/nowhere/x.csv', '--studio', studio], says: 'cannot read /nowhere/x.csv: there is no such file' },
  { args: ['items', tmpdir(), '--studio', studio], says: 'is a folder, not a CSV file' },
  {
    args: ['maintenance', import.meta.filename, '--studio', studio, '--archive-missing'],
    says: 'maintenance cannot be archived',
  },
  {
    args: ['items', import.meta.filename, '--studio', studio, '--archive-missing', '--key', 'none'],
    says: '--archive-missing needs keys',
  },
  {
    args: ['items', import.meta.filename, '--studio', studio, '--report', import.meta.filename],
    says: 'the report would overwrite the file',
  },
])('refuses in words: $args', async ({ args, says }) => {
  const { status, stdout, stderr } = await run(...args)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(says)
  expect(stderr).not.toMatch(/^\s+at /m)
})

describe('on a terminal', () => {
  test.each([
    ['y\n', true],
    ['n\n', false],
    ['', false],
  ])('the answer %j means %s', async (answer, agreed) => {
    const [input, output] = [new PassThrough(), new PassThrough()]
    input.end(answer)
    const asked = archivingAgreed(['policy', 'policies'], false, { input, output })(1234)
    if (agreed) expect(await asked).toBe(true)
    else await expect(asked).rejects.toThrow('Nothing was imported.')
    expect(String(output.read())).toContain('1234 policies are not in the file and will be archived. Go on? [y/N] ')
  })
})
