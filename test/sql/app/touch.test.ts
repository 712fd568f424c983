import type pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Columns, inStudio, insert, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
/** One row in every table that has updated_at or is shown through another row. */
const row: Record<string, string> = {}

beforeAll(async () => {
  studio = await sql.studio()
  row.items = await studio.add('items', { purchase_price: 100, tags: ['a'] })
  row.locations = await studio.add('locations', { city: 'Berlin' })
  row.policies = await studio.add('policies', { covered_perils: ['fire'] })
  const refersTo = { item_id: row.items }
  row.maintenance_records = await studio.add('maintenance_records', refersTo)
  row.policy_assignments = await studio.add('policy_assignments', { ...refersTo, policy_id: row.policies })
  row.item_photos = await studio.add('item_photos', refersTo)
  await studio.market(row.items, '90')
})

const touched: [table: string, column: string][] = [
  ['items', 'name'],
  ['locations', 'name'],
  ['policies', 'name'],
  ['maintenance_records', 'title'],
  ['policy_assignments', 'notes'],
]

describe.each(touched)('updated_at of app.%s', (table, column) => {
  test('strictly increases with every change, however fast one follows the other', async () => {
    // In one message, so that they follow each other as fast as the server can run them.
    const probe = `select updated_at from app.${table} where id = '${row[table]}'`
    const updates = Array.from(
      { length: 50 },
      (_, n) => `update app.${table} set ${column} = 'n${n}' where id = '${row[table]}'`,
    )
    const text = [probe, ...updates.flatMap((update) => [update, probe])].join(';\n')
    const results = await studio.write(async ({ client }) => (await client.query(text)) as unknown as pg.QueryResult[])
    const moments = results.flatMap(({ rows }) => rows.map(({ updated_at }) => Date.parse(updated_at)))
    expect(new Set(moments).size).toBe(51)
    expect(moments.toSorted((one, other) => one - other)).toEqual(moments)
  })

  test('moves on by a millisecond when the clock has gone back behind it', async () => {
    const future = Date.parse('2150-01-01T00:00:00.000Z')
    const id = await fromTheFuture(table, new Date(future).toISOString())
    await studio.change(table, id, { [column]: 'one' })
    expect(await studio.updatedAt(table, id)).toBe(future + 1)
    await studio.change(table, id, { [column]: 'two' })
    expect(await studio.updatedAt(table, id)).toBe(future + 2)
    await studio.change(table, id, { [column]: 'two' })
    expect(await studio.updatedAt(table, id)).toBe(future + 2)
  })

  test('cannot be held back by its writer', async () => {
    const id = row[table] ?? ''
    const before = await studio.updatedAt(table, id)
    for (const session of [sql.owner, sql.admin]) {
      await inStudio(session, studio, (s) =>
        s.rows(`update app.${table} set ${column} = 'held back', updated_at = '2001-01-01' where id = $1`, [id]),
      )
      expect(await studio.updatedAt(table, id)).toBeGreaterThan(before)
    }
    await expect(studio.change(table, id, { updated_at: '2001-01-01' })).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a write that changes nothing', () => {
  test.each([
    'items',
    'locations',
    'policies',
    'maintenance_records',
    'policy_assignments',
    'item_photos',
    'market_values',
  ])('in app.%s moves neither an updated_at nor the data version', async (table) => {
    const before = await everything()
    for (const column of await writableColumns(table)) {
      await studio.write((session) => session.rows(`update app.${table} set ${column} = ${column}`))
    }
    expect(await everything()).toEqual(before)
  })

  test('in app.items stays without a trace when only the spelling of the category differs', async () => {
    const before = await everything()
    await studio.change('items', row.items ?? '', { category: 'OTHER / uncategorised' })
    expect(await everything()).toEqual(before)
  })
})

async function writableColumns(table: string): Promise<string[]> {
  const rows = await sql.admin.rows<{ column_name: string }>(
    `select column_name from information_schema.column_privileges
     where grantee = 'studio_writer' and privilege_type = 'UPDATE' and table_schema = 'app' and table_name = $1`,
    [table],
  )
  expect(rows.length).toBeGreaterThan(0)
  return rows.map((found) => found.column_name)
}

/** Every updated_at of the studio, and its data version. */
async function everything(): Promise<Columns> {
  const moments: number[] = []
  for (const [table] of touched) moments.push(await studio.updatedAt(table, row[table] ?? ''))
  const own = await sql.admin.value('select updated_at from app.studios where id = $1', [studio.id])
  return { moments, own, version: await studio.dataVersion() }
}

/** A row whose updated_at is ahead of the clock, as after the clock of the server was set back. */
function fromTheFuture(table: string, updated_at: string): Promise<string> {
  const needed: Columns =
    table === 'maintenance_records'
      ? { item_id: row.items }
      : table === 'policy_assignments'
        ? { item_id: row.items, policy_id: row.policies }
        : {}
  return inStudio(sql.admin, studio, (session) => insert(session, studio.id, table, { ...needed, updated_at }))
}
