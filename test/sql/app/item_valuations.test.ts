import { beforeEach, describe, expect, test } from 'vitest'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let item: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items', { purchase_price: 1000, reported_insured_value: 500 })
})

const loseProjection = () =>
  inStudio(sql.owner, studio, (s) => s.rows('delete from app.item_valuations where item_id = $1', [item]))

const unavailable = { current_estimated_value: null, value_source: null, coverage_state: null, gap_amount: null }

describe('a projection that is gone', () => {
  test('moves updated_at and the data version, and leaves the item without a coverage state', async () => {
    const before = await studio.updatedAt('items', item)
    const version = await studio.dataVersion()
    await loseProjection()
    expect(await studio.updatedAt('items', item)).toBeGreaterThan(before)
    expect(await studio.dataVersion()).toBeGreaterThan(version)
    expect(await studio.get('items', item)).toMatchObject({ coverage_state: null })
  })

  test('takes the item out of every coverage state, and leaves it in the list and in the total', async () => {
    await loseProjection()
    const list = (state: string | null) => studio.ask('list_items', 1, 50, null, state, null)
    expect(await list('under_covered')).toMatchObject({ status: 200, total: '0', data: '' })
    expect(await list(null)).toMatchObject({ status: 200, total: '1' })
  })

  test('is no error: the item is whole, its valuation null', async () => {
    await loseProjection()
    const answer = await studio.ask('get_item', item)
    expect(answer.status).toBe(200)
    expect(parsed(answer)[0]).toMatchObject({ id: item, name: 'An item', purchase_price: 1000, ...unavailable })
  })

  test('stays gone while nothing changes that the valuation depends on', async () => {
    await loseProjection()
    await studio.change('items', item, { name: 'renamed' })
    expect(await studio.valuation(item)).toBeNull()
    expect(await studio.get('items', item)).toMatchObject({ coverage_state: null })
  })

  test('comes back with the first write that the valuation depends on', async () => {
    await loseProjection()
    await studio.change('items', item, { reported_insured_value: 600 })
    expect(await studio.valuation(item)).toMatchObject({ coverage_state: 'under_covered', gap_amount: '400.00' })
    expect(await studio.get('items', item)).toMatchObject({ coverage_state: 'under_covered' })
    expect(await studio.ask('list_items', 1, 50, null, 'under_covered', null)).toMatchObject({ total: '1' })
  })
})

test('a studio reads its projections and writes none', async () => {
  const write = (text: string) => studio.write((session) => session.rows(text))
  await expect(write('select * from app.item_valuations')).resolves.toHaveLength(1)
  for (const text of [
    'delete from app.item_valuations',
    `update app.item_valuations set coverage_state = 'fully_covered'`,
    `insert into app.item_valuations (studio_id, item_id, value_source, coverage_state)
     select studio_id, id, 'unknown', 'value_unknown' from app.items`,
  ]) {
    await expect(write(text)).rejects.toMatchObject({ code: '42501' })
  }
})
