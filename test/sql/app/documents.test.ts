import { expect, test } from 'vitest'
import { expectConsistent } from '../invariants.ts'
import { type Studio, useSql } from '../support.ts'

// Lists are made of documents that are stored with their rows. That they are right after any writes is tested with the
// valuation's projections.

const sql = useSql()

const listed = async (studio: Studio) => {
  const { data } = await studio.ask('list_items', 1, 100, null, null, null)
  return JSON.parse(`[${data}]`) as { name: string }[]
}
const maintained = async (studio: Studio) => {
  const { data } = await studio.ask('list_maintenance', 1, 100, null, null, null)
  return JSON.parse(`[${data}]`) as { title: string; item_name: string }[]
}

test('an item and its maintenance are listed as they were written last', async () => {
  const studio = await sql.studio()
  const item = await studio.add('items', { name: 'Reverb' })
  await studio.add('maintenance_records', { item_id: item, title: 'Springs' })
  await studio.change('items', item, { name: 'Spring "reverb"\n\\ü' })
  await studio.market(item, '1200.50')
  expect(await listed(studio)).toMatchObject([{ name: 'Spring "reverb"\n\\ü', market_value_as_of: expect.any(String) }])
  expect(await maintained(studio)).toMatchObject([{ title: 'Springs', item_name: 'Spring "reverb"\n\\ü' }])
  await expectConsistent(sql, studio)
})

test('an item whose location is deleted is listed without it', async () => {
  const studio = await sql.studio({ plan: 'studio' })
  const location = await studio.add('locations', { name: 'Attic' })
  await studio.add('items', { name: 'Reverb', location_id: location })
  await studio.remove('locations', location)
  expect(await listed(studio)).toMatchObject([{ name: 'Reverb', location_id: null }])
  await expectConsistent(sql, studio)
})

test('rows from before documents were stored are listed like any other, and get theirs when they are written', async () => {
  const studio = await sql.studio()
  const item = await studio.add('items', { name: 'Reverb', purchase_price: '12.5', tags: ['a', 'b'] })
  await studio.add('maintenance_records', { item_id: item, title: 'Springs', cost: '3' })
  const [items, maintenance] = [await listed(studio), await maintained(studio)]
  for (const table of ['items', 'maintenance_records']) {
    await sql.owner.rows(`alter table app.${table} disable trigger user`)
    await sql.admin.rows(`update app.${table} set document = null where studio_id = $1`, [studio.id])
    await sql.owner.rows(`alter table app.${table} enable trigger user, enable always trigger d_store_document`)
  }
  expect([await listed(studio), await maintained(studio)]).toEqual([items, maintenance])
  const before = await studio.updatedAt('items', item)
  for (const [table, column] of Object.entries({ items: 'name', maintenance_records: 'title' })) {
    await studio.write((session) =>
      session.rows(`update app.${table} set ${column} = ${column} where document is null`),
    )
  }
  await expectConsistent(sql, studio)
  expect(await studio.updatedAt('items', item)).toBe(before)
})

test('a row that is written past the triggers, as replication does, has its document', async () => {
  const studio = await sql.studio()
  await sql.admin.rows(`set session_replication_role = replica`)
  await sql.admin.rows(`insert into app.items (studio_id, name) values ($1, 'Replicated')`, [studio.id])
  await sql.admin.rows(`set session_replication_role = origin`)
  const document = await sql.admin.value(`select document from app.items where studio_id = $1`, [studio.id])
  expect(JSON.parse(document)).toMatchObject({ name: 'Replicated' })
})
