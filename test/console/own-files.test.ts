import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, expect, test } from 'vitest'
import { exportStudio } from '../../src/exporter/run.ts'
import { importUpload } from '../../src/importer/import-upload.ts'
import { kinds } from '../../src/importer/kinds/index.ts'
import { sentenceOf } from '../../src/importer/row-errors.ts'
import { runImport } from '../../src/importer/run-import.ts'
import { withStudioReader } from '../../src/report/schedule.ts'
import { kindNamed } from '../importer/support.ts'
import { made } from '../report/support.ts'
import { useFolder } from '../support/folder.ts'
import { signedIn, useConsole } from './support.ts'

const world = useConsole()
const by = signedIn(world, ['owner'])
const folder = useFolder()

/** What an app has written: to the byte, and for no spreadsheet. */
beforeAll(async () => {
  const [twin] = [await world.add('locations', { name: 'Twin' }), await world.add('locations', { name: 'Twin' })]
  const pad = { name: '-20 dB pad', model: '=1+1', serial_number: '+442', tags: ['vocal', 'large; dark'] }
  const item = await world.add('items', { ...pad, location_id: twin, purchase_price: '10.00', useful_life_months: 12 })
  await world.add('items', { name: '@mic', external_key: 'own-1', acquisition_date: '1850-01-01' })
  await world.add('items', { name: 'null', serial_number: 'S-1 ', external_key: 'own 2', manual_value: '123456.00' })
  await world.add('depreciation_changes', {
    item_id: item,
    effective_on: '2024-01-01',
    depreciation_method: 'straight_line',
  })
  const type = { policy_type: 'unheard of', covered_perils: ['fire; water'] }
  const policy = await world.add('policies', { name: '+Cover', ...type, effective_start: '2020-01-01' })
  await world.add('policy_assignments', { policy_id: policy, item_id: item, declared_value: '12.00' })
  await world.add('maintenance_records', {
    item_id: item,
    title: '=Clean',
    status: 'completed',
    completed_date: '2024-01-03',
  })
})

/** Every row of a studio that an import could change. */
const everything = () =>
  world.asOwner(async ({ query }) => {
    const all: Record<string, unknown> = {}
    for (const { table } of kinds) {
      const [row] = await query(`select json_agg(t order by t::text) as rows from app.${table} t`)
      all[table] = row
    }
    return all
  })

let files = 0

async function jobOf(content: string | Buffer) {
  files += 1
  const path = await folder.file(`${files}.csv`, content)
  const writerUrl = world.database.urlFor('studio_writer')
  return { path, studioId: world.cast.a.id, writerUrl, photosDir: world.photosDir }
}

const imported = async (kind: string, content: string | Buffer) =>
  runImport({ ...(await jobOf(content)), kind: kindNamed(kind) })

/** Imports a file of studio A into studio A, which must change nothing. */
async function expectUnchanged(kind: string, content: string | Buffer, rows: number): Promise<void> {
  const before = await everything()
  const outcome = await imported(kind, content)
  expect(outcome.errors.causes.map(sentenceOf)).toEqual([])
  expect(outcome).toMatchObject({ rows, unchanged: rows })
  expect(await everything()).toEqual(before)
  const choice = { from: 'guess', said: [] }
  const shown = await importUpload({ ...(await jobOf(content)), kindName: kindNamed(kind).name, choice })
  expect(shown).toMatchObject({ errors: { count: 0 }, rows, unchanged: rows })
}

const rowsOf = (content: string | Buffer) => (parse(content, { bom: true }) as string[][]).length - 1

test('the console’s list of items, imported again, changes nothing', async () => {
  const { text } = await by.owner.get(world.page('items.csv'))
  expect(text).toContain("'-20 dB pad")
  await expectUnchanged('items', text, rowsOf(text))
})

test.each([
  ['items', '/v1/items?per_page=100'],
  ['locations', '/v1/locations?per_page=100'],
  ['policies', '/v1/policies?per_page=100'],
  ['maintenance', '/v1/maintenance?per_page=100'],
  ['items', '/v1/valuations?per_page=100'],
])('the API’s list of %s as CSV, imported again, changes nothing: %s', async (kind, path) => {
  const { text } = await world.get(path, { headers: { Accept: 'text/csv' } })
  expect(rowsOf(text)).toBeGreaterThan(0)
  await expectUnchanged(kind, text, rowsOf(text))
})

/** The items of each policy as CSV, without policies that have none. */
async function itemsOfPolicies(): Promise<string[]> {
  const { json } = await world.get('/v1/policies?per_page=100')
  const ids = (json as { data: { id: string }[] }).data.map(({ id }) => id)
  const paths = ids.map((id) => `/v1/policies/${id}/items?per_page=100`)
  const files = await Promise.all(paths.map((path) => world.get(path, { headers: { Accept: 'text/csv' } })))
  return files.map(({ text }) => text).filter((text) => rowsOf(text) > 0)
}

test('the API’s list of a policy’s items as CSV, imported again as assignments, changes nothing', async () => {
  const lists = await itemsOfPolicies()
  expect(lists.length).toBeGreaterThan(1)
  for (const list of lists) await expectUnchanged('assignments', list, rowsOf(list))
})

test('a policy’s items that somebody has changed are refused, because the file does not name the policy', async () => {
  const before = await everything()
  for (const list of await itemsOfPolicies()) {
    const { errors } = await imported('assignments', list.replaceAll('.00,', '.25,'))
    expect(errors.causes.map(sentenceOf)).toEqual([
      'line 1, policy: is not named in the file, and no policy of the studio has exactly these items; import assignments.csv of an export of the studio, which names it',
    ])
  }
  expect(await everything()).toEqual(before)
})

test('a file of this service that is imported as another kind is refused', async () => {
  const [list = ''] = await itemsOfPolicies()
  await expect(imported('items', list)).rejects.toThrow('the file has assignments from the list of')
})

test.each(['csv', 'xlsx'] as const)('the report as %s, imported again, changes nothing', async (format) => {
  const { bytes } = await made(world, { format })
  await expectUnchanged('items', bytes, rowsOf((await made(world, { format: 'csv' })).bytes))
})

test('amounts of a studio with another currency are refused', async () => {
  const { text } = await by.owner.get(world.page('items.csv'))
  const { errors } = await imported('items', text.replaceAll(',EUR', ',SEK'))
  expect(errors.causes[0]?.problem).toContain("is in SEK, and the studio's currency is")
})

test('an export of the studio, imported again, changes nothing', async () => {
  const { database, cast, photosDir } = world
  const target = join(folder.path, 'export')
  const { rows } = await withStudioReader(database.adminUrl, cast.a.id, async (transaction) => {
    await transaction.query('set local role studio_owner')
    return exportStudio(transaction, cast.a.id, target, photosDir)
  })
  for (const { name } of kinds) await expectUnchanged(name, await readFile(join(target, `${name}.csv`)), rows[name])
})
