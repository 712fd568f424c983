import { readFile, rm } from 'node:fs/promises'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { categories } from '../../src/domain/vocabulary.ts'
import { asOwner } from '../support/server.ts'
import { useCli } from './here.ts'

const cli = useCli()
const studio = 'Moved In'

beforeAll(async () => {
  await asOwner(cli.database, (owner) =>
    owner.query(`select access.create_studio($1, 'ona@moved.example', 'Ona')`, [studio]),
  )
})
beforeEach(() => rm(cli.at('categories.csv'), { force: true }))

const run = (...args: string[]) => cli.run('import', ...args, '--studio', studio)

const header = 'Asset Tag,Asset Name,Serial,Category,Default Location,Purchase Date,Cost'
const assets = `${header}\nT1,Mic,1,Ribbon Mics,Attic,31/12/2023,"1.234,50"\nT2,Desk,2,Consoles,Attic,30/11/2023,"9,00"\n`

describe('a file of another tool', () => {
  test('is recognised, and every further option is told with the errors that it would remove', async () => {
    const path = await cli.file('assets.csv', assets)
    const first = await run('items', path)
    expect(first.stderr).toContain('The file looks like an export of Snipe-IT: add --from snipe-it\n')
    const second = await run('items', path, '--from', 'snipe-it')
    expect(second.status).toBe(1)
    for (const option of ['--dates dd/mm/yyyy', '--decimal comma', '--make-locations', '--categories FILE']) {
      expect(second.stderr).toContain(option)
    }
    expect(second.stderr).toContain('studio-inventory: nothing was imported: 7 errors\n')
  })

  test('is imported in two rounds: one begins the file of categories, one imports', async () => {
    const path = await cli.file('assets.csv', assets)
    const how = ['--from', 'snipe-it', '--dates', 'dd/mm/yyyy', '--decimal', 'comma', '--make-locations']
    const first = await run('items', path, ...how, '--categories', cli.at('categories.csv'))
    expect(first.status).toBe(1)
    expect(first.stderr).toContain(`Begun ${cli.at('categories.csv')} with 2 categories.\n`)
    for (const category of categories) expect(first.stderr).toContain(`  ${category}\n`)
    expect(await readFile(cli.at('categories.csv'), 'utf8')).toBe(
      'theirs,ours,rows\r\nRibbon Mics,,1\r\nConsoles,,1\r\n',
    )
    const unfinished = await run('items', path, ...how, '--categories', cli.at('categories.csv'))
    expect(unfinished.stderr).toContain(
      'line 2, category "Ribbon Mics": has no category in the file of categories; write one next to it',
    )
    await cli.file(
      'categories.csv',
      'theirs;ours;rows\nRibbon Mics;microphones;1\nConsoles;Mixing Consoles & Summing;1\n',
    )
    const done = await run('items', path, ...how, '--categories', cli.at('categories.csv'))
    expect(done).toMatchObject({ status: 0, stdout: '2 rows: 2 added, 0 changed, 0 unchanged, 0 archived\n' })
    expect(done.stderr).toContain('1 new location: "Attic"\n')
  })
})

test('a spreadsheet with other headers gets all options at once, and imports with them', async () => {
  const path = await cli.file('gear.csv', 'Item,Serial No.,Bought\nU 87,104512,12/03/2021\nSM58,77,\n')
  const first = await run('items', path)
  const options = "--map 'Item=name' --map 'Serial No.=serial_number' --map 'Bought=acquisition_date'"
  expect(first.stderr).toContain(`To read the columns this way and leave out the others: ${options}\n`)
  expect(first.stderr).toContain('--key serial_number or --key name; or number them: --key none\n')
  expect(first.stderr).toContain('--dates dd/mm/yyyy')
  const said = ['--map', 'Item=name', '--map', 'Serial No.=serial_number', '--map', 'Bought=acquisition_date']
  const done = await run('items', path, ...said, '--key', 'serial_number', '--dates', 'dd/mm/yyyy')
  expect(done).toMatchObject({ status: 0, stdout: '2 rows: 2 added, 0 changed, 0 unchanged, 0 archived\n' })
})

test('a file of categories that was begun is never written over', async () => {
  const path = await cli.file('own.csv', 'external_key,name,category\nM1,Mic,Odd\n')
  await cli.file('categories.csv', 'theirs,ours\nOther,\n')
  const { stderr } = await run('items', path, '--categories', cli.at('categories.csv'))
  expect(stderr).not.toContain('Begun')
  expect(await readFile(cli.at('categories.csv'), 'utf8')).toBe('theirs,ours\nOther,\n')
})

test.each([
  { kind: 'policies', args: ['--make-locations'], says: '--make-locations is for items' },
  { kind: 'locations', args: ['--categories', 'x.csv'], says: '--categories is for items' },
  {
    kind: 'policies',
    args: ['--from', 'homebox'],
    says: 'the columns of Homebox are known for items, not for policies',
  },
  { kind: 'photos', args: ['--map', 'a=b'], says: 'photos have no columns, dates or amounts' },
])('refuses what does not fit the kind: $kind $args', async ({ kind, args, says }) => {
  const path = await cli.file('own.csv', 'external_key,name\nM1,Mic\n')
  const { status, stderr } = await run(kind, kind === 'photos' ? cli.folder : path, ...args)
  expect(status).toBe(1)
  expect(stderr).toContain(says)
})
