import { expect, test } from 'vitest'
import { type List, type Single, useWorld } from '../support/world.ts'

type Valuation = Record<string, unknown> & { item_id: string; value_source: string | null; updated_at: string }

const world = useWorld()
const find = (filters: Record<string, string> = {}, more: object = {}) =>
  world.read<List<Valuation>>(`/v1/valuations?${new URLSearchParams({ per_page: '100', ...filters })}`, more)
const ids = ({ data }: List<Valuation>) => data.map(({ item_id }) => item_id).toSorted()
const items = async () => (await world.read<List<{ id: string }>>('/v1/items?per_page=100')).data

test('every item of the list has the values of its detail, newest changed first', async () => {
  const { data, meta } = await find()
  const listed = await items()
  const key = ({ updated_at, item_id }: Valuation) => `${updated_at} ${item_id}`
  expect(data.map(key)).toEqual(data.map(key).toSorted().toReversed())
  expect(data.map(({ item_id }) => item_id).toSorted()).toEqual(listed.map(({ id }) => id).toSorted())
  expect(meta.total).toBe(listed.length)
  for (const { item_id, book_value, updated_at, ...values } of data) {
    const { data: detail } = await world.read<Single<Record<string, unknown>>>(`/v1/items/${item_id}`)
    expect(Object.keys(values)).toHaveLength(7)
    expect(detail).toMatchObject(values)
    if (values.value_source === 'depreciated') expect(book_value).toBe(values.current_estimated_value)
  }
})

test('a filter by location finds the items there, and with its sublocations those inside', async () => {
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
  const unvalue = 'delete from app.item_valuations where item_id = $1'
  await world.asOwner(({ query }) => query(unvalue, [bare]), world.cast.a.id)
  const shown = (await find()).data.find(({ item_id }) => item_id === bare)
  const unvalued = { current_estimated_value: null, value_source: null, coverage_state: null }
  expect(shown).toMatchObject({ ...unvalued, purchase_price: 700 })
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
    const sum = (which: (each: Valuation) => boolean, of = 'gap_amount') => amounts(listed.filter(which), of)
    expect(data.by).toBe(by)
    expect(data.total).toMatchObject({
      items: listed.length,
      estimated_value: amounts(listed, 'current_estimated_value'),
      reported_insured_value: amounts(listed, 'reported_insured_value'),
      over_declared: -sum(({ gap_amount }) => Number(gap_amount) < 0),
      not_declared: sum((each) => each.coverage_state === 'uninsured', 'current_estimated_value'),
      under_declared: sum((each) => each.coverage_state === 'under_covered'),
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

type OfDay = { item_id: string; current_estimated_value: string | null; category: string; value_source: string }
const itemsOn = (day: string) =>
  world.asOwner(
    ({ query }) =>
      query<OfDay>(
        `select id as item_id, current_estimated_value, value_source, coverage_state, gap_amount, purchase_price,
           reported_insured_value, category from api_v1.items_on($1) order by id desc`,
        [day],
      ),
    world.cast.a.id,
  )
const total = async (query: string) =>
  (await world.read<Single<{ total: Record<string, number> }>>(`/v1/valuations/summary?${query}`)).data.total

test.each(['2021-03-31', '2025-12-31', '2031-06-30'])(
  'the values of %s are those of the day, in pages, by filters and in sums',
  async (on) => {
    const truth = await itemsOn(on)
    const walked: Valuation[] = []
    for (let next = `/v1/valuations?on=${on}&per_page=7`; next; ) {
      const reply = await world.get<List<Valuation>>(next)
      expect(reply.json.meta.total).toBe(truth.length)
      walked.push(...reply.json.data)
      next = /\/v1[^>]+/.exec(String(reply.headers.link))?.[0] ?? ''
    }
    const shown = (rows: object[]) =>
      rows.map((row) => JSON.stringify(row, (_, value) => (/^-?\d+\.\d\d$/.test(value) ? Number(value) : value)))
    expect(shown(walked.map(({ agreed_value_from_policy, book_value, updated_at, ...values }) => values))).toEqual(
      shown(truth.map(({ category, ...values }) => values)),
    )
    for (const { value_source, book_value, current_estimated_value } of walked) {
      if (value_source === 'depreciated') expect(book_value).toBe(current_estimated_value)
    }
    const depreciated = truth.filter((row) => row.value_source === 'depreciated' && row.category === 'Microphones')
    expect(ids(await find({ on, value_source: 'depreciated', category: 'Microphones' }))).toEqual(
      depreciated.map(({ item_id }) => item_id).toSorted(),
    )
    for (const by of ['category', 'policy']) {
      expect(await total(`by=${by}&on=${on}`)).toMatchObject({
        items: truth.length,
        estimated_value: amounts(truth, 'current_estimated_value'),
        reported_insured_value: amounts(truth, 'reported_insured_value'),
      })
    }
  },
)

test('a day stands alone: not with updated_since, and only a day', async () => {
  const refused = async (query: string) => {
    const { status, json } = await world.get<{ errors: { code: string }[] }>(`/v1/valuations?${query}`)
    return [status, ...json.errors.map(({ code }) => code)]
  }
  expect(await refused('on=2026-01-31&updated_since=2026-01-01')).toEqual([400, 'not_with_updated_since'])
  expect(await refused('on=2026-02-30')).toEqual([400, 'not_a_date'])
})

test.each(['', '&on=2031-06-30'])('another studio sees its own%s', async (more) => {
  const token = world.cast.b.token.token
  const theirs = await world.read<List<Valuation>>(`/v1/valuations?per_page=100${more}`, { token })
  expect(theirs.data.length).toBeGreaterThan(0)
  expect(ids(theirs).filter((id) => Object.values<string>(world.cast.a.items).includes(id))).toEqual([])
  const path = `/v1/valuations?location_id=${world.cast.a.locations.rack}&include_sublocations=true${more}`
  expect((await world.read<List<Valuation>>(path, { token })).data).toEqual([])
})
