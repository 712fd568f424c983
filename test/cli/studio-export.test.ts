import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { createToken } from '../support/cast.ts'
import { asAdmin, asRole } from '../support/server.ts'
import { runHere, useCli } from './here.ts'

const cli = useCli()
let studio: string

beforeAll(async () => {
  const named = ['create', 'Attic Sound', '--owner-email', 'ona@attic.example', '--owner-name', 'Ona']
  const kind = ['--timezone', 'Asia/Tokyo', '--currency', 'KWD', '--plan', 'pro']
  studio = (await run('studio', ...named, ...kind)).stdout.trim()
  const items = cli.at('given.csv')
  await writeFile(items, 'external_key,name,tags,purchase_price\nA-1,"A ""good"" one",a|b,10.525\nA-2,=1+1,,\n')
  expect((await run('import', 'items', items, '--studio', 'Attic Sound')).status).toBe(0)
  await mkdir(join(cli.folder, 'photos', 'p'), { recursive: true })
  const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(64)])
  await writeFile(join(cli.folder, 'photos', 'p', 'one.png'), picture)
  await asAdmin(cli.database, async (admin) => {
    await admin.query(`select set_config('studio.id', $1, false)`, [studio])
    for (const key of ['p/one.png', 'p/gone.png']) {
      await admin.query(
        `insert into app.item_photos (studio_id, item_id, storage_key)
         select studio_id, id, $2 from app.items where studio_id = $1 and external_key = 'A-1'`,
        [studio, key],
      )
    }
  })
})
const { run } = cli
const files = [
  'assignments',
  'depreciation-changes',
  'items',
  'locations',
  'maintenance',
  'market-values',
  'policies',
].map((n) => `${n}.csv`)
const written = [...files, 'photos', 'studio.json'].toSorted()

test('an export into a new folder says what it wrote and how to import it', async () => {
  const target = join(cli.folder, 'not there', 'attic sound')
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
  const json = JSON.parse((await run('studio', 'export', studio, target, '--json')).stdout)
  expect(json).toEqual({
    studio_id: studio,
    folder: target,
    rows: {
      locations: 1,
      items: 2,
      policies: 0,
      assignments: 0,
      maintenance: 0,
      market_values: 0,
      depreciation_changes: 0,
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
  await mkdir(cli.at('full'), { recursive: true })
  await writeFile(cli.at('full/kept.txt'), 'mine')
  const target = join(cli.folder, name)
  const { status, stdout, stderr } = await run('studio', 'export', studio, target)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toBe(`studio-inventory: ${target} ${why}\nName a new or empty folder.\n`)
  expect(await readdir(cli.at('full'))).toEqual(['kept.txt'])
  expect(await readFile(cli.at('full/kept.txt'), 'utf8')).toBe('mine')
})

test('what fails half-way leaves nothing behind', async () => {
  const target = cli.at('half')
  await mkdir(target)
  await asAdmin(cli.database, (admin) => admin.query('alter table app.market_values rename to away'))
  try {
    expect((await run('studio', 'export', studio, target)).status).toBe(1)
    expect((await run('studio', 'export', studio, cli.at('whole'))).status).toBe(1)
  } finally {
    await asAdmin(cli.database, (admin) => admin.query('alter table app.away rename to market_values'))
  }
  expect(await readdir(target)).toEqual([])
  expect((await readdir(cli.folder)).filter((name) => name.startsWith('whole'))).toEqual([])
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
  const copy = (await run('studio', 'create', 'Copy', '--owner-email', 'ona@attic.example', ...given)).stdout.trim()
  const commands = [...stderr.matchAll(/studio-inventory (import .*) --studio <name-or-id>/g)]
  expect(commands).toHaveLength(8)
  for (const [, command = ''] of commands) {
    const args = command.split(' ').map((word) => word.replace(/^'(.*)'$/, '$1'))
    const imported = await run(...args, '--studio', copy)
    expect({ command, ...imported }).toMatchObject({ status: 0 })
  }
  await run('studio', 'export', copy, cli.at('again'))
  for (const file of files) {
    const lines = async (from: string) => (await readFile(join(cli.folder, from, file), 'utf8')).split('\n').toSorted()
    expect(await lines('again'), file).toEqual(await lines('out'))
  }
  const [before, after] = [await account(studio), await account(copy)]
  expect(after).toEqual(before.replace('"name":"Attic Sound"', '"name":"Copy"'))
})

/** The answer of GET /v1/account for a studio. */
async function account(id: string): Promise<string> {
  const owner = await asAdmin(cli.database, (admin) =>
    admin.query('select user_id from access.members where studio_id = $1', [id]),
  )
  const { token } = await createToken(cli.database, id, owner.rows[0].user_id)
  const answer = await asRole(cli.database, 'studio_api', (api) =>
    api.query('select data from api_v1.get_account($1)', [digestOf(token)]),
  )
  return answer.rows[0].data
}
