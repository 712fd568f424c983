import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { asAdmin } from '../support/server.ts'
import { expectRefused, runHere, useCli } from './here.ts'

const cli = useCli()
let studio: string

beforeAll(async () => {
  const kind = ['--owner-name', 'Ona', '--timezone', 'Asia/Tokyo', '--currency', 'KWD', '--plan', 'pro']
  studio = await cli.newStudio('Attic Sound', 'ona@attic.example', ...kind)
  const rows = 'external_key,name,tags,purchase_price\nA-1,"A ""good"" one",a|b,10.525\nA-2,=1+1,,\n'
  const items = await cli.file('given.csv', rows)
  expect((await run('import', 'items', items, '--studio', 'Attic Sound')).status).toBe(0)
  await cli.file('photos/p/one.png', Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)]))
  await asAdmin(cli.database, async (admin) => {
    await admin.query(`select set_config('studio.id', $1, false)`, [studio])
    await admin.query(
      `insert into app.item_photos (studio_id, item_id, storage_key)
       select studio_id, id, key from app.items, unnest('{p/one.png,p/gone.png}'::text[]) key
       where studio_id = $1 and external_key = 'A-1'`,
      [studio],
    )
  })
})
const { run } = cli
const kinds = 'assignments depreciation-changes items locations maintenance market-values policies'.split(' ')
const files = kinds.map((kind) => `${kind}.csv`)
const written = [...files, 'photos', 'studio.json'].toSorted()

test('an export into a new folder says what it wrote and how to import it', async () => {
  const target = cli.at('not there/attic sound')
  const { status, stdout, stderr } = await run('studio', 'export', 'attic sound', target)
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: `Exported to ${target}: locations 1, items 2, policies 0, assignments 0, maintenance 0, market values 0, depreciation changes 0, photos 1\n`,
  })
  expect((await readdir(target)).toSorted()).toEqual(written)
  expect(stderr).toContain('1 photo not exported: PHOTOS_DIR has no such pictures.\nTo import it, in this order:\n')
  expect(stderr).toContain(`  studio-inventory import items '${target}/items.csv' --studio <name-or-id>\n`)
  expect(stderr).toMatch(/ import locations [^\n]+\n.* import items [^\n]+\n.* import policies /)
  expect(stderr.trimEnd()).toMatch(/ import photos '[^\n]+' --studio <name-or-id>$/)
})

test('an empty folder is filled, as one that is mounted has to be', async () => {
  const target = cli.at('empty')
  await mkdir(target)
  expect(await cli.json('studio', 'export', studio, target)).toEqual({
    studio_id: studio,
    folder: target,
    rows: {
      ...{ locations: 1, items: 2, policies: 0, assignments: 0, maintenance: 0 },
      ...{ market_values: 0, depreciation_changes: 0 },
    },
    photos: 1,
    photos_elsewhere: 1,
  })
  expect((await readdir(target)).toSorted()).toEqual(written)
})

test('photos of a bucket stay there, although PHOTOS_DIR has them: so they come along with the bucket unset', async () => {
  const bucket = { PHOTOS_S3_BUCKET: 'studio-photos', PHOTOS_S3_REGION: 'eu-central-1' }
  const env = cli.env(bucket)
  const target = cli.at('bucket')
  const { stderr } = await runHere(['studio', 'export', studio, target], env)
  expect(stderr).toContain('2 photos not exported: they are in the bucket.')
  expect((await readdir(target)).toSorted()).toEqual(written.filter((name) => name !== 'photos'))
})

test.each([
  ['a folder with a file', 'full', 'is not empty'],
  ['a file', 'full/kept.txt', 'is not a folder'],
])('%s is left as it is', async (_what, name, why) => {
  await cli.file('full/kept.txt', 'mine')
  const refused = await run('studio', 'export', studio, cli.at(name))
  expectRefused(refused, new RegExp(`^studio-inventory: ${cli.at(name)} ${why}\nName a new or empty folder.\n$`))
  expect(await readdir(cli.at('full'))).toEqual(['kept.txt'])
  expect(await readFile(cli.at('full/kept.txt'), 'utf8')).toBe('mine')
})

test('what fails half-way leaves nothing behind', async () => {
  const target = cli.at('half')
  await mkdir(target)
  await cli.told('alter table app.market_values rename to away')
  try {
    expect((await run('studio', 'export', studio, target)).status).toBe(1)
    expect((await run('studio', 'export', studio, cli.at('whole'))).status).toBe(1)
  } finally {
    await cli.told('alter table app.away rename to market_values')
  }
  expect(await readdir(target)).toEqual([])
  expect((await readdir(cli.folder.path)).filter((name) => name.startsWith('whole'))).toEqual([])
})

test('the files and the commands that are printed make the same studio again', async () => {
  const target = cli.at('out')
  const { stderr } = await run('studio', 'export', studio, target)
  const about = JSON.parse(await readFile(join(target, 'studio.json'), 'utf8'))
  expect(about).toEqual({
    ...{ name: 'Attic Sound', timezone: 'Asia/Tokyo', currency: 'KWD' },
    ...{ financial_year_start_month: null, first_period: 'full_month', category_terms: [], plan: 'pro' },
  })
  const given = ['--timezone', about.timezone, '--currency', about.currency, '--plan', about.plan]
  const copy = await cli.newStudio('Copy', 'ona@attic.example', ...given)
  const commands = [...stderr.matchAll(/studio-inventory (import .*) --studio <name-or-id>/g)]
  expect(commands).toHaveLength(8)
  for (const [, command = ''] of commands) {
    const args = command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'))
    const imported = await run(...args, '--studio', copy)
    expect({ command, ...imported }).toMatchObject({ status: 0 })
  }
  await run('studio', 'export', copy, cli.at('again'))
  for (const file of files) {
    const lines = async (from: string) => (await readFile(cli.at(`${from}/${file}`), 'utf8')).split('\n').toSorted()
    expect(await lines('again'), file).toEqual(await lines('out'))
  }
})
