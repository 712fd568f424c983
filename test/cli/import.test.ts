import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { archivingAgreed } from '../../src/cli/import-options.ts'
import { categories } from '../../src/domain/vocabulary.ts'
import { withClient } from '../support/server.ts'
import { expectRefused, useCli } from './here.ts'
import { runCli, startCli } from './run.ts'

const cli = useCli()
const studio = 'Import Works'

beforeAll(() => cli.newStudio(studio, 'ona@works.example'))
const run = (...args: string[]) => cli.run('import', ...args)
const items = (path: string, ...args: string[]) => run('items', path, '--studio', studio, ...args)
const runProcess = (path: string, ...args: string[]) =>
  runCli(['import', 'items', path, '--studio', studio, ...args], cli.env())

const names = async () =>
  (await cli.told('select name from app.items where archived_at is null order by name')).map((row) => row.name)

test('numbers go to standard output, and plain lines of progress to standard error', async () => {
  const path = await cli.file('items.csv', 'external_key;name;purchase_price\nA;One;1.50\nB;"Two;\nlines";\n')
  const first = await runProcess(path)
  expect(first).toEqual({
    status: 0,
    stdout: '2 rows: 2 added, 0 changed, 0 unchanged, 0 archived\n',
    stderr: 'Reading …\nChecking …\nWriting 2 items …\n',
  })
  const again = await items(path, '--dry-run')
  expect(again.stdout).toBe('Dry run, nothing was written. 2 rows: 0 added, 0 changed, 2 unchanged, 0 archived\n')
})

test('a dry run shows ten rows, the oddest first, as they would be written, and all of them on demand', async () => {
  const rows = Array.from({ length: 12 }, (_, at) => `D${at},Desk ${at},${at + 1},yes|no,\n`)
  const path = await cli.file('dry.csv', `external_key,name,purchase_price,tags,acquisition_date\n${rows.join('')}`)
  const { stdout } = await items(path, '--dry-run')
  expect(stdout.split('\n').slice(0, 4)).toEqual([
    'line 13, new: D11 (largest purchase price)',
    '  name              Desk 11',
    '  purchase_price    12.00 EUR',
    '  tags              yes, no',
  ])
  expect(stdout.match(/^line /gm)).toHaveLength(10)
  expect(stdout).toContain('\n… and 2 more: --all-rows shows them\nDry run, nothing was written. 12 rows: 12 added')
  const all = await items(path, '--dry-run', '--all-rows', '--json')
  expect(JSON.parse(all.stdout).changes.rows).toHaveLength(12)
  expectRefused(await items(path, '--all-rows'), '--all-rows is for --dry-run')
})

test('errors go to standard error and the report; the status is 1 and nothing is written', async () => {
  const before = await names()
  const path = await cli.file('bad.csv', 'external_key,name,purchase_price,colour\nX,Ex,"1,5",red\nY,,2,blue\n')
  const report = cli.at('report.csv')
  const { status, stdout, stderr } = await runProcess(path, '--report', report)
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
  expect((await items(path, '--delimiter', 'semicolon', '--dry-run')).status).toBe(0)
  expect((await items(path, '--delimiter', 'comma', '--dry-run')).status).toBe(1)
  expectRefused(await items(path, '--delimiter', '|'), 'comma, semicolon, tab')
})

test('--archive-missing needs --yes without a terminal', async () => {
  const both = await cli.file('both.csv', 'external_key,name\nA,One\nB,Two\n')
  await items(both)
  const one = await cli.file('one.csv', 'external_key,name\nA,Eins\n')
  expectRefused(
    await runProcess(one, '--archive-missing'),
    'studio-inventory: 1 item is not in the file and will be archived. Nothing was imported.\nWithout a terminal, confirm it with --yes.\n',
  )
  expect(await names()).toEqual(['One', 'Two'])
  const done = await items(one, '--archive-missing', '--yes')
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

const [here, mine] = [import.meta.filename, ['--studio', studio]]
test.each([
  [['gear', 'x.csv'], /items, policies, assignments, maintenance, market-values, depreciation-changes, photos/],
  [[], "missing argument 'kind'"],
  [['items', 'x.csv'], "required option '--studio <name-or-id>' not specified"],
  [['items', '/nowhere/x.csv', ...mine], 'cannot read /nowhere/x.csv: there is no such file'],
  [['items', tmpdir(), ...mine], 'is a folder, not a CSV file'],
  [['maintenance', here, ...mine, '--archive-missing'], 'maintenance cannot be archived'],
  [['items', here, ...mine, '--archive-missing', '--key', 'none'], '--archive-missing needs keys'],
  [['items', here, ...mine, '--report', here], 'the report would overwrite the file'],
  [['policies', here, ...mine, '--make-locations'], '--make-locations is for items'],
  [['locations', here, ...mine, '--categories', 'x.csv'], '--categories is for items'],
  [['policies', here, ...mine, '--from', 'homebox'], 'the columns of Homebox are known for items, not for policies'],
  [['photos', tmpdir(), ...mine, '--map', 'a=b'], 'photos have no columns, dates or amounts'],
])('refuses in words: %j', async (args, says) => {
  expectRefused(await run(...args), says)
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s in the middle ends it with %i; it says that nothing was imported, and nothing was',
  async (signal, status) => {
    const path = await cli.file('items.csv', 'external_key,name\nS,Stopped\nT,Stopped\n')
    await withClient(cli.database.adminUrl, async (other) => {
      await other.query('begin; lock table app.items in exclusive mode')
      const importing = startCli(['import', 'items', path, '--studio', studio], cli.env())
      let told = ''
      importing.child.stderr.on('data', (text) => {
        told += text
      })
      await vi.waitFor(() => expect(told).toContain('Writing 2 items …'), { timeout: 20_000 })
      importing.child.kill(signal)
      const ended = await importing.ended
      expect(ended).toMatchObject({ status, stdout: '' })
      expect(ended.stderr).toMatch(/\nstudio-inventory: interrupted: nothing was imported\n$/)
      await other.query('rollback')
    })
    expect(await names()).not.toContain('Stopped')
  },
)

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

const header = 'Asset Tag,Asset Name,Serial,Category,Default Location,Purchase Date,Cost'
const assets = `${header}\nT1,Mic,1,Ribbon Mics,Attic,31/12/2023,"1.234,50"\nT2,Desk,2,Consoles,Attic,30/11/2023,"9,00"\n`

describe('a file of another tool', () => {
  beforeEach(() => rm(cli.at('categories.csv'), { force: true }))

  test('is recognised, and every further option is told with the errors that it would remove', async () => {
    const path = await cli.file('assets.csv', assets)
    const first = await items(path)
    expect(first.stderr).toContain('The file looks like an export of Snipe-IT: add --from snipe-it\n')
    const second = await items(path, '--from', 'snipe-it')
    for (const option of ['--dates dd/mm/yyyy', '--decimal comma', '--make-locations', '--categories FILE']) {
      expectRefused(second, option)
    }
    expect(second.stderr).toContain('studio-inventory: nothing was imported: 7 errors\n')
  })

  test('is imported in two rounds: one begins the file of categories, one imports', async () => {
    const path = await cli.file('assets.csv', assets)
    const how = ['--from', 'snipe-it', '--dates', 'dd/mm/yyyy', '--decimal', 'comma', '--make-locations']
    const first = await items(path, ...how, '--categories', cli.at('categories.csv'))
    expectRefused(first, `Begun ${cli.at('categories.csv')} with 2 categories.\n`)
    for (const category of categories) expect(first.stderr).toContain(`  ${category}\n`)
    expect(await readFile(cli.at('categories.csv'), 'utf8')).toBe(
      'theirs,ours,rows\r\nRibbon Mics,Microphones,1\r\nConsoles,Mixing Consoles & Summing,1\r\n',
    )
    await cli.file('categories.csv', 'theirs,ours,rows\nRibbon Mics,,1\nConsoles,,1\n')
    const unfinished = await items(path, ...how, '--categories', cli.at('categories.csv'))
    expect(unfinished.stderr).toContain(
      'line 2, category "Ribbon Mics": has no category in the file of categories; write one next to it',
    )
    await cli.file(
      'categories.csv',
      'theirs;ours;rows\nRibbon Mics;microphones;1\nConsoles;Mixing Consoles & Summing;1\n',
    )
    const done = await items(path, ...how, '--categories', cli.at('categories.csv'))
    expect(done).toMatchObject({ status: 0, stdout: '2 rows: 2 added, 0 changed, 0 unchanged, 0 archived\n' })
    expect(done.stderr).toContain('1 new location: "Attic"\n')
  })
})

test('a spreadsheet with other headers gets all options at once, and imports with them', async () => {
  const path = await cli.file('gear.csv', 'Item,Serial No.,Bought\nU 87,104512,12/03/2021\nSM58,77,\n')
  const first = await items(path)
  const options = "--map 'Item=name' --map 'Serial No.=serial_number' --map 'Bought=acquisition_date'"
  expect(first.stderr).toContain(`To read the columns this way and leave out the others: ${options}\n`)
  expect(first.stderr).toContain('--key serial_number or --key name; or number them: --key none\n')
  expect(first.stderr).toContain('--dates dd/mm/yyyy')
  const said = ['--map', 'Item=name', '--map', 'Serial No.=serial_number', '--map', 'Bought=acquisition_date']
  const done = await items(path, ...said, '--key', 'serial_number', '--dates', 'dd/mm/yyyy')
  expect(done).toMatchObject({ status: 0, stdout: '2 rows: 2 added, 0 changed, 0 unchanged, 0 archived\n' })
})

test('a file of categories that was begun is never written over', async () => {
  const path = await cli.file('own.csv', 'external_key,name,category\nM1,Mic,Odd\n')
  await cli.file('categories.csv', 'theirs,ours\nOther,\n')
  const { stderr } = await items(path, '--categories', cli.at('categories.csv'))
  expect(stderr).not.toContain('Begun')
  expect(await readFile(cli.at('categories.csv'), 'utf8')).toBe('theirs,ours\nOther,\n')
})
