import type pg from 'pg'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Columns, inStudio, insert, parsed, type Studio, useSql } from '../support.ts'

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
    // One message has both statements, so that they follow each other as fast as the server can run
    // them.
    const probe = `select updated_at from app.${table} where id = '${row[table]}'`
    const update = (n: number) => `update app.${table} set ${column} = 'n${n}' where id = '${row[table]}'`
    const text = [probe, ...Array.from({ length: 50 }, (_, n) => `${update(n)}; ${probe}`)].join(';\n')
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
    const holding = `update app.${table} set ${column} = 'held back', updated_at = '2001-01-01' where id = $1`
    for (const session of [sql.owner, sql.admin]) {
      await inStudio(session, studio, (s) => s.rows(holding, [id]))
      expect(await studio.updatedAt(table, id)).toBeGreaterThan(before)
    }
    await expect(studio.change(table, id, { updated_at: '2001-01-01' })).rejects.toMatchObject({ code: '42501' })
  })
})

describe('a write that changes nothing', () => {
  const tables = [...touched.map(([table]) => table), 'item_photos', 'market_values']
  test.each(tables)('in app.%s moves neither an updated_at nor the data version', async (table) => {
    const before = await everything()
    const writable = `select column_name as name from information_schema.column_privileges
      where grantee = 'studio_writer' and privilege_type = 'UPDATE' and table_schema = 'app' and table_name = $1`
    const columns = await sql.admin.rows(writable, [table])
    expect(columns).not.toEqual([])
    for (const { name } of columns) {
      await studio.write((session) => session.rows(`update app.${table} set ${name} = ${name}`))
    }
    expect(await everything()).toEqual(before)
  })

  test('in app.items stays without a trace when only the spelling of the category differs', async () => {
    const before = await everything()
    await studio.change('items', row.items ?? '', { category: 'OTHER / uncategorised' })
    expect(await everything()).toEqual(before)
  })
})

/** Every updated_at of the studio, and its data version. */
async function everything(): Promise<Columns> {
  const moments: number[] = []
  for (const [table] of touched) moments.push(await studio.updatedAt(table, row[table] ?? ''))
  const own = await sql.admin.value('select updated_at from app.studios where id = $1', [studio.id])
  return { moments, own, version: await studio.dataVersion() }
}

/** A row whose updated_at is ahead of the clock, as after the clock of the server was set back. */
function fromTheFuture(table: string, updated_at: string): Promise<string> {
  const item = table === 'maintenance_records' || table === 'policy_assignments' ? { item_id: row.items } : {}
  const needed: Columns = { ...item, ...(table === 'policy_assignments' && { policy_id: row.policies }) }
  return inStudio(sql.admin, studio, (session) => insert(session, studio.id, table, { ...needed, updated_at }))
}

describe('an item that is shown with rows of other tables', () => {
  let studio: Studio
  let [item, other, floater, umbrella] = ['', '', '', '']
  beforeEach(async () => {
    studio = await sql.studio()
    item = await studio.add('items')
    other = await studio.add('items')
    floater = await studio.add('policies')
    umbrella = await studio.add('policies')
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
        ...[{ declared_value: 100 }, { is_primary: true }, { policy_id: umbrella }],
        ...[{ effective_start: '2026-01-01' }, { effective_end: '2026-12-31' }],
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
    const record = inStudio(recording, studio, (s) => insert(s, studio.id, 'maintenance_records', { item_id: item }))
    await Promise.race([record, new Promise((resolve) => setTimeout(resolve, 200))])
    await renaming.rows('commit')
    const written = await studio.get('maintenance_records', await record)
    expect(written).toMatchObject({ item_name: 'Renamed', item_archived: true })
    // The record is hidden with its item. It shows again when it moves to an item that is not
    // archived.
    const listed = async () => parsed(await studio.ask('list_maintenance', 1, 100, null, null, null))
    expect(await listed()).toEqual([])
    await studio.change('maintenance_records', await record, { item_id: other })
    expect(await listed()).toMatchObject([{ id: await record }])
  })
})
