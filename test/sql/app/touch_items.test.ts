import { beforeEach, expect, test } from 'vitest'
import { type Columns, inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let item: string
let other: string
let floater: string
let umbrella: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items')
  other = await studio.add('items')
  floater = await studio.add('policies', { name: 'Floater' })
  umbrella = await studio.add('policies', { name: 'Umbrella' })
})

/** Whether both items' updated_at, and the data version, moved while `work` was done. */
async function moved(work: () => Promise<unknown>) {
  const moments = async () => [
    await studio.updatedAt('items', item),
    await studio.updatedAt('items', other),
    await studio.dataVersion(),
  ]
  const before = await moments()
  await work()
  const after = await moments()
  return after.map((moment, n) => moment > (before[n] ?? 0))
}
const itemAlone = [true, false, true]

const shown: [table: string, columns: () => Columns, changes: () => Columns[]][] = [
  [
    'policy_assignments',
    () => ({ policy_id: floater }),
    () => [
      { declared_value: 100 },
      { is_primary: true },
      { policy_id: umbrella },
      { effective_start: '2026-01-01' },
      { effective_end: '2026-12-31' },
    ],
  ],
  ['item_photos', () => ({}), () => [{ position: 3 }, { storage_key: 'photos/two.jpg' }]],
]

test.each(shown)('an item moves with what is shown of its row of app.%s', async (table, columns, changes) => {
  let id = ''
  expect(await moved(async () => (id = await studio.add(table, { item_id: item, ...columns() })))).toEqual(itemAlone)
  for (const change of changes()) {
    expect(await moved(() => studio.change(table, id, change)), JSON.stringify(change)).toEqual(itemAlone)
  }
  expect(await moved(() => studio.remove(table, id))).toEqual(itemAlone)
})

test('every item moves whose rows one statement changes, or to which a row goes', async () => {
  const both = [true, true, true]
  for (const item_id of [item, other]) await studio.add('item_photos', { item_id })
  const write = (text: string) => () => studio.write((session) => session.rows(text))
  expect(await moved(write('update app.item_photos set position = position + 1'))).toEqual(both)
  expect(await moved(write('delete from app.item_photos'))).toEqual(both)
  const id = await studio.add('policy_assignments', { item_id: item, policy_id: floater })
  expect(await moved(() => studio.change('policy_assignments', id, { item_id: other }))).toEqual(both)
})

test('what is not shown moves no item; a market value that was found again moves its date', async () => {
  const id = await studio.add('policy_assignments', { item_id: item, policy_id: floater })
  expect((await moved(() => studio.change('policy_assignments', id, { notes: 'for us' })))[0]).toBe(false)
  await studio.market(item, '400')
  const rename = () => studio.write((s) => s.rows(`update app.market_values set source = 'another house'`))
  expect(await moved(rename)).toEqual([false, false, false])
  expect(await moved(() => studio.market(item, '400', '2026-02-03T04:05:06.789Z'))).toEqual(itemAlone)
  expect(await studio.get('items', item)).toMatchObject({ market_value_as_of: '2026-02-03 04:05:06.789+00' })
})

test('two writers of assignments to two policies, each in another order, do not wait for each other', async () => {
  const assignTo = (policy: string, of: string) =>
    `insert into app.policy_assignments (studio_id, item_id, policy_id) values ('${studio.id}', '${of}', '${policy}')`
  const colleague = await sql.connect('studio_writer')
  await studio.write(async (first) => {
    await first.rows(assignTo(floater, item))
    await inStudio(colleague, studio, async (second) => {
      await second.rows('set local lock_timeout = 1000')
      await second.rows(assignTo(umbrella, other))
      await second.rows(assignTo(floater, other))
    })
    await first.rows(assignTo(umbrella, item))
  })
})

test('a record has the name of its item although that is renamed and archived while the record is written', async () => {
  const [renaming, recording] = [await sql.connect('studio_writer'), await sql.connect('studio_writer')]
  await renaming.begin(studio)
  await renaming.rows(`update app.items set name = 'Renamed', archived_at = now() where id = $1`, [item])
  const record = inStudio(recording, studio, (session) =>
    session.value(`insert into app.maintenance_records (studio_id, item_id, title) values ($1, $2, 'x') returning id`, [
      studio.id,
      item,
    ]),
  )
  await Promise.race([record, new Promise((resolve) => setTimeout(resolve, 200))])
  await renaming.rows('commit')
  const written = await studio.get('maintenance_records', await record)
  expect(written).toMatchObject({ item_name: 'Renamed', item_archived: true })
  // It is hidden with its item, and shown when it is moved to one that is not.
  const listed = async () => parsed(await studio.ask('list_maintenance', 1, 100, null, null, null))
  expect(await listed()).toEqual([])
  await studio.change('maintenance_records', await record, { item_id: other })
  expect(await listed()).toMatchObject([{ id: await record }])
})
