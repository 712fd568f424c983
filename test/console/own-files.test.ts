import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, expect, test } from 'vitest'
import { exportStudio } from '../../src/exporter/run.ts'
import { kinds } from '../../src/importer/kinds/index.ts'
import { sentenceOf } from '../../src/importer/row-errors.ts'
import { runImport } from '../../src/importer/run-import.ts'
import { withStudioReader } from '../../src/report/snapshot.ts'
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
  await world.add('policies', { name: '+Cover', policy_type: 'unheard of', covered_perils: ['fire; water'] })
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

/** Imports a file of studio A into studio A, which must change nothing. */
async function expectUnchanged(kind: string, content: string | Buffer, rows: number): Promise<void> {
  files += 1
  const before = await everything()
  const found = kinds.find(({ name }) => name === kind)
  if (found === undefined) throw new Error(`no kind ${kind}`)
  const outcome = await runImport({
    kind: found,
    path: await folder.file(`${files}.csv`, content),
    studioId: world.cast.a.id,
    writerUrl: world.database.urlFor('studio_writer'),
    photosDir: world.photosDir,
  })
  expect(outcome.errors.causes.map(sentenceOf)).toEqual([])
  expect(outcome).toMatchObject({ rows, unchanged: rows })
  expect(await everything()).toEqual(before)
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
])('the API’s list of %s as CSV, imported again, changes nothing', async (kind, path) => {
  const { text } = await world.get(path, { headers: { Accept: 'text/csv' } })
  expect(rowsOf(text)).toBeGreaterThan(0)
  await expectUnchanged(kind, text, rowsOf(text))
})

test('the report as CSV, imported again, changes nothing', async () => {
  const { bytes } = await made(world, { format: 'csv' })
  await expectUnchanged('items', bytes, rowsOf(bytes))
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
