import { beforeAll, describe, expect, test } from 'vitest'
import { askWith, inStudio, parsed, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let withoutIndexes: Session

beforeAll(async () => {
  studio = await sql.studio()
  const moment = `timestamptz '2026-01-01T00:00:00Z'`
  await inStudio(sql.admin, studio, async (session) => {
    for (const text of [
      `insert into app.items (studio_id, name, category, purchase_price, updated_at)
       select $1, 'x', 'Microphones', 1, ${moment} from generate_series(1, 300)`,
      `insert into app.locations (studio_id, name, updated_at) select $1, 'x', ${moment} from generate_series(1, 300)`,
      `insert into app.policies (studio_id, name, effective_start)
       select $1, 'x', date '2026-01-01' from generate_series(1, 300)`,
      `insert into app.maintenance_records (studio_id, item_id, title, updated_at)
       select studio_id, (select min(id::text)::uuid from app.items where studio_id = $1), 'x', ${moment}
       from app.items where studio_id = $1`,
    ]) {
      await session.rows(text, [studio.id])
    }
  })
  withoutIndexes = await sql.connect('studio_api')
  for (const path of ['indexscan', 'indexonlyscan', 'bitmapscan']) await withoutIndexes.rows(`set enable_${path} = off`)
  // The login's own settings discourage sorting and reading whole tables as much as these discourage the indexes.
  for (const way of ['sort', 'seqscan']) await withoutIndexes.rows(`set enable_${way} = on`)
})

const byUpdate = 'updated_at desc, id desc'
const lists: [operation: string, filters: unknown[], table: string, order: string][] = [
  ['list_items', [null, null, null], 'items', byUpdate],
  ['list_items', ['Microphones', null, null], 'items', byUpdate],
  ['list_items', [null, 'uninsured', null], 'items', byUpdate],
  ['list_items', ['Microphones', 'uninsured', null], 'items', byUpdate],
  ['list_locations', [null], 'locations', byUpdate],
  ['list_maintenance', [null, null, null], 'maintenance_records', byUpdate],
  ['list_maintenance', [null, 'scheduled', null], 'maintenance_records', byUpdate],
  ['list_maintenance', ['the item', null, null], 'maintenance_records', byUpdate],
  ['list_policies', [null], 'policies', 'effective_start desc, id desc'],
]

// An index that ends with the id hands out its order for nothing. The order must not depend on it.
describe('rows that tie are in a total order by id, also when no index brings them in it', () => {
  test.each(lists)('%s %j', async (operation, filters, table, order) => {
    const rows = await sql.admin.rows<{ id: string }>(
      `select id from app.${table} where studio_id = $1 order by ${order}`,
      [studio.id],
    )
    const item = await sql.admin.value('select item_id from app.maintenance_records where studio_id = $1 limit 1', [
      studio.id,
    ])
    const given = filters.map((filter) => (filter === 'the item' ? item : filter))
    const found: string[] = []
    for (let page = 1; page <= Math.ceil(rows.length / 37); page++) {
      const answer = await askWith(withoutIndexes, operation, studio.digest, page, 37, ...given)
      found.push(...parsed<{ id: string }>(answer).map(({ id }) => id))
    }
    expect(found).toEqual(rows.map(({ id }) => id))
  })
})
