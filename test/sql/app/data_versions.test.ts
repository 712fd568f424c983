import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { gateMessage } from '../../support/gate-message.ts'
import { inStudio, insert, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let neighbour: Studio
let item: string
let policy: string

beforeEach(async () => {
  studio = await sql.studio()
  neighbour = await sql.studio()
  item = await studio.add('items', { purchase_price: 10 })
  policy = await studio.add('policies')
})

/** Whether the data versions of the studio and of its neighbour moved during this work. */
async function movedBy(work: () => Promise<unknown>): Promise<[studio: boolean, neighbour: boolean]> {
  const before = [await studio.dataVersion(), await neighbour.dataVersion()]
  await work()
  const after = [await studio.dataVersion(), await neighbour.dataVersion()]
  for (const n of [0, 1]) expect(after[n]).toBeGreaterThanOrEqual(before[n] ?? 0)
  return [after[0] !== before[0], after[1] !== before[1]]
}

const alone = [true, false]

describe('the data version of a studio moves, and no other’s, when', () => {
  const tables: [table: string, columns: () => Record<string, unknown>, change: Record<string, unknown>][] = [
    ['items', () => ({}), { model: 'x' }],
    ['locations', () => ({}), { city: 'x' }],
    ['policies', () => ({}), { carrier: 'x' }],
    ['maintenance_records', () => ({ item_id: item }), { vendor: 'x' }],
    ['policy_assignments', () => ({ item_id: item, policy_id: policy }), { declared_value: 1 }],
    ['item_photos', () => ({ item_id: item }), { position: 7 }],
    [
      'depreciation_changes',
      () => ({ item_id: item, effective_on: '2026-01-01', useful_life_months: 12 }),
      { useful_life_months: 24 },
    ],
  ]

  test.each(tables)('a row of app.%s is added, changed and removed', async (table, columns, change) => {
    let id = ''
    expect(await movedBy(async () => (id = await studio.add(table, columns())))).toEqual(alone)
    expect(await movedBy(() => studio.change(table, id, change))).toEqual(alone)
    const remove = () => inStudio(sql.owner, studio, (s) => s.rows(`delete from app.${table} where id = $1`, [id]))
    expect(await movedBy(remove)).toEqual(alone)
  })

  test('a row changes of any table that the REST API reads: each is tried here', async () => {
    // They change with a row of the tables above. The console and the report, which cache nothing, show closings.
    const others = ['item_counts', 'maintenance_counts', 'item_valuations', 'removals', 'closings']
    const read = await sql.admin.rows<{ relation: string }>(
      `select distinct c.relation from audit.view_columns c
       join audit.allowed_privileges p on p.role = 'studio_api' and p.relation = c.view_name
       where c.relation not in (select 'app.' || t from unnest($1::text[]) t) order by 1`,
      [[...tables.map(([table]) => table), ...others]],
    )
    const wrong = gateMessage({
      wrong: 'answers that read these tables may come from the cache after a row has changed',
      edit:
        'test/sql/app/data_versions.test.ts: a line in `tables`, or in `others` with a test of its own if the table has no id; ' +
        'and, when it is red, sql/app/triggers/: a trigger with app.bump_data_version(), as that of locations',
      run: 'npx vitest run test/sql/app/data_versions.test.ts',
    })
    expect(read, wrong).toEqual([])
  })

  test('the account changes: name, time zone, currency, plan, period', async () => {
    for (const [column, value] of Object.entries({ name: 'renamed', timezone: 'Asia/Tokyo', currency: 'GBP' })) {
      const change = () => sql.owner.rows(`update app.studios set ${column} = $1 where id = $2`, [value, studio.id])
      expect(await movedBy(change), column).toEqual(alone)
    }
    const subscribe = (plan: string, end: string) => () =>
      sql.owner.rows(`select access.set_subscription($1, $2, 'active', null, '2026-01-01', $3)`, [studio.id, plan, end])
    expect(await movedBy(subscribe('pro', '2026-02-01'))).toEqual(alone)
    expect(await movedBy(subscribe('pro', '2026-03-01'))).toEqual(alone)
  })
})

test('it moves with what is left when a savepoint is rolled back, and stays when a transaction is', async () => {
  const rename = (name: string) => `update app.items set name = '${name}' where id = '${item}'`
  const attempt = `savepoint attempt; ${rename('dropped')}; rollback to savepoint attempt`
  const work = (text: string) => () => inStudio(sql.owner, studio, ({ client }) => client.query(text))
  expect(await movedBy(work(`${attempt}; ${rename('kept after')}`))).toEqual(alone)
  expect(await movedBy(work(`${rename('kept before')}; ${attempt}`))).toEqual(alone)
  expect(await movedBy(work(`${rename('dropped')}; rollback`))).toEqual([false, false])
})

describe('writers at once', () => {
  /** More of them than there are places to count in, whatever their number is taken by. */
  let writers: Session[]
  beforeAll(async () => {
    writers = await Promise.all(Array.from({ length: 20 }, () => sql.connect('studio_writer')))
  })

  test('of one studio do not wait for each other, however many they are', async () => {
    for (const session of writers) {
      await session.begin(studio)
      await session.rows('select setseed(0.5)') // each would take the same place at random
      await session.rows(`set local lock_timeout = '1s'`)
      await insert(session, studio.id, 'items', {})
      await insert(session, studio.id, 'maintenance_records', { item_id: item })
    }
    for (const session of writers) await session.rows('commit')
    expect(await studio.ask('list_items', 1, 1, null, null, null)).toMatchObject({ total: '21' })
    expect(await studio.ask('list_maintenance', 1, 1, null, null, null)).toMatchObject({ total: '20' })
  })

  test('do not deadlock over the version or the counters: an edit amid a long import goes through', async () => {
    const [importer, ...editors] = writers
    const ids: string[] = []
    for (const _ of editors) ids.push(await studio.add('items'))
    await importer?.begin(studio)
    await importer?.rows(`update app.items set barcode = 'imported' where id = $1`, [item])
    await Promise.all(
      editors.map((session, n) =>
        inStudio(session, studio, async (s) => {
          await s.rows(`set local lock_timeout = '1s'`)
          await s.rows(`update app.items set model = 'edited' where id = $1`, [ids[n]])
        }),
      ),
    )
    await importer?.rows(`update app.items set barcode = 'imported' where id = any ($1)`, [ids])
    await importer?.rows('commit')
    const done = `select count(*) from app.items where studio_id = $1 and barcode = 'imported' and model = 'edited'`
    expect(await sql.admin.value(done, [studio.id])).toBe(String(ids.length))
  })
})
