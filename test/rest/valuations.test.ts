import { expect, test } from 'vitest'
import { type List, type Single, useWorld } from '../support/world.ts'

type Valuation = Record<string, unknown> & { item_id: string; value_source: string | null; updated_at: string }

const world = useWorld()
const find = (filters: Record<string, string> = {}, more: object = {}) =>
  world.read<List<Valuation>>(`/v1/valuations?${new URLSearchParams({ per_page: '100', ...filters })}`, more)
const ids = ({ data }: List<Valuation>) => data.map(({ item_id }) => item_id).toSorted()
const items = async () => (await world.read<List<{ id: string }>>('/v1/items?per_page=100')).data

test('every item of the list has the values of its detail, in the order of the list', async () => {
  const { data, meta } = await find()
  const listed = await items()
  expect(data.map(({ item_id }) => item_id)).toEqual(listed.map(({ id }) => id))
  expect(meta.total).toBe(listed.length)
  for (const { item_id, ...values } of data) {
    const { data: detail } = await world.read<Single<Record<string, unknown>>>(`/v1/items/${item_id}`)
    expect(Object.keys(values)).toHaveLength(8)
    expect(detail).toMatchObject(values)
  }
})

test('a filter finds the items whose values show it', async () => {
  const { data } = await find()
  for (const name of ['coverage_state', 'value_source']) {
    const shown = Map.groupBy(data, (valuation) => valuation[name])
    expect(shown.size).toBeGreaterThan(2)
    for (const [value, matching] of shown) {
      if (value === null) continue
      const found = await find({ [name]: String(value) })
      expect(ids(found)).toEqual(ids({ ...found, data: matching }))
      expect(found.meta.total).toBe(matching.length)
    }
  }
  const { locations, items: cast } = world.cast.a
  expect(ids(await find({ location_id: locations.rack, category: 'Microphones' }))).toEqual([cast.microphone])
  expect(ids(await find({ location_id: locations.rack, include_sublocations: 'true' }))).toContain(cast.microphone)
})

test('a poll returns the items whose values have changed, and a missing projection is null', async () => {
  const { bare } = world.cast.a.items
  const newest = (await find()).data[0]?.updated_at ?? ''
  await world.change('items', bare, { purchase_price: 700 })
  const changed = async () => {
    await world.owner('select access.heartbeat()')
    return ids(await find({ updated_since: newest }))
  }
  await expect.poll(changed, { timeout: 30_000, interval: 20 }).toContain(bare)
  await world.asOwner(async (transaction) => {
    await transaction.query(`select set_config('studio.id', $1, true)`, [world.cast.a.id])
    await transaction.query('delete from app.item_valuations where item_id = $1', [bare])
  })
  const shown = (await find()).data.find(({ item_id }) => item_id === bare)
  expect(shown).toMatchObject({
    current_estimated_value: null,
    value_source: null,
    coverage_state: null,
    purchase_price: 700,
  })
  expect(ids(await find())).toEqual((await items()).map(({ id }) => id).toSorted())
})

const amounts = (values: Record<string, unknown>[], name: string) =>
  Math.round(100 * values.reduce((sum, each) => sum + Number(each[name] ?? 0), 0)) / 100

test.each(['category', 'location', 'coverage_state', 'value_source', 'policy'])(
  'the summary by %s has the sums of the list, in groups that add up to the total',
  async (by) => {
    type Numbers = Record<string, number>
    type Summary = { by: string; currency: string; groups: (Numbers & { key: string | null })[]; total: Numbers }
    const { data } = await world.read<Single<Summary>>(`/v1/valuations/summary?by=${by}`)
    const listed = (await find()).data
    expect(data.by).toBe(by)
    expect(data.total).toMatchObject({
      items: listed.length,
      estimated_value: amounts(listed, 'current_estimated_value'),
      reported_insured_value: amounts(listed, 'reported_insured_value'),
      over_declared: -amounts(
        listed.filter(({ gap_amount }) => Number(gap_amount) < 0),
        'gap_amount',
      ),
      not_declared: amounts(
        listed.filter((each) => each.coverage_state === 'uninsured'),
        'current_estimated_value',
      ),
      under_declared: amounts(
        listed.filter((each) => each.coverage_state === 'under_covered'),
        'gap_amount',
      ),
      without_value_items: listed.filter((each) => each.current_estimated_value === null).length,
    })
    for (const [name, number] of Object.entries(data.total)) expect(amounts(data.groups, name), name).toBe(number)
    if (by === 'coverage_state' || by === 'value_source') {
      for (const { key, items: number } of data.groups) {
        expect(listed.filter((each) => each[by] === key)).toHaveLength(Number(number))
      }
    }
  },
)

test('another studio sees its own', async () => {
  const theirs = await find({}, { token: world.cast.b.token.token })
  expect(ids(theirs).filter((id) => Object.values<string>(world.cast.a.items).includes(id))).toEqual([])
})
