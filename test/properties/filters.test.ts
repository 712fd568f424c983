import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { enterStudio } from '../../src/database/session.ts'
import { categories } from '../../src/domain/vocabulary.ts'
import { createAdders } from '../support/cast-inventory.ts'
import { deeper } from '../support/depth.ts'
import { type List, newestFirst, type Row, useWorld } from '../support/world.ts'

const world = useWorld()
const size = 80
const states = ['fully_covered', 'under_covered', 'uninsured', 'value_unknown'] as const

/** What the model knows of an item. It follows from what the test wrote. */
type Modelled = {
  id: string
  updated_at: string
  category: string
  coverage_state: string | null
  /** By the rules, whether there is a projection or not. */
  computed: { coverage_state: string; value_source: string }
  archived: boolean
  tags: string[]
  acquired: string | null
}
type Kept = { id: string; updated_at: string; item_id: string; status: 'scheduled' | 'completed'; archived: boolean }

const moment = fc.integer({ min: 0, max: 9 }).map((ms) => new Date(Date.UTC(2025, 5, 1) + ms).toISOString())
const someCategories = fc.constantFrom(...categories.slice(0, 4))
const amount = fc.constantFrom(0, 1, 2, 3)

/** The index does not hold the tags of an item that has this one. */
const long = 'x'.repeat(500)

const drawn = fc.record({
  updated_at: moment,
  category: someCategories,
  worth: amount,
  declared: amount,
  archived: fc.boolean(),
  projected: fc.integer({ min: 0, max: 9 }).map((number) => number > 0),
  completed: fc.boolean(),
  tags: fc.subarray(['tube', 'loan', long]),
  acquired: fc.option(fc.constantFrom('2024-05-01', '2025-05-01')),
})

function coverage(worth: number, declared: number): string {
  if (worth === 0) return 'value_unknown'
  if (declared === 0) return 'uninsured'
  return declared < worth ? 'under_covered' : 'fully_covered'
}

let token = ''
let items: Modelled[] = []
let records: Kept[] = []

beforeAll(async () => {
  const studio = await world.newStudio()
  token = studio.token
  // The seed is fixed: every run has the same data, but other queries.
  const [draws = []] = fc.sample(fc.array(drawn, { minLength: size, maxLength: size }), { numRuns: 1, seed: 42 })
  const made = draws.map((draw) => ({ ...draw, id: randomUUID(), record: randomUUID() }))
  await world.write(async (transaction) => {
    const add = createAdders(transaction, studio.id)
    for (const { id, record, category, worth, declared, archived, completed, tags, acquired } of made) {
      const amounts = { purchase_price: worth, reported_insured_value: declared }
      const archived_at = archived ? '2025-01-01T00:00:00Z' : null
      await add('items', { id, name: 'Item', category, ...amounts, archived_at, tags, acquisition_date: acquired })
      const done = completed ? { status: 'completed', completed_date: '2025-01-01' } : {}
      await add('maintenance_records', { id: record, item_id: id, title: 'Check', ...done })
    }
  }, studio.id)
  const unprojected = made.filter(({ projected }) => !projected).map(({ id }) => id)
  await world.asOwner(async (transaction) => {
    await enterStudio(transaction, studio.id)
    await transaction.query('delete from app.item_valuations where item_id = any ($1)', [unprojected])
  })
  for (const table of ['items', 'item_valuations', 'maintenance_records']) {
    const key = table === 'maintenance_records' ? 'record' : 'id'
    const times = made.map(({ updated_at, ...ids }) => [ids[key], updated_at])
    await world.setUpdatedAt(table, Object.fromEntries(times), studio.id)
  }
  items = made.map(({ id, updated_at, category, worth, declared, archived, projected, tags, acquired }) => ({
    ...{ id, tags, acquired },
    updated_at,
    category,
    coverage_state: projected ? coverage(worth, declared) : null,
    computed: { coverage_state: coverage(worth, declared), value_source: worth === 0 ? 'unknown' : 'purchase_price' },
    archived,
  }))
  records = made.map(({ id, record, updated_at, completed, archived }) => ({
    id: record,
    item_id: id,
    updated_at,
    status: completed ? 'completed' : 'scheduled',
    archived,
  }))
})

/** The page and the total that the model expects for a query. */
function page<Element extends Row>(matching: Element[], number: number, perPage: number) {
  const ids = newestFirst(matching).map(({ id }) => id)
  return { ids: ids.slice((number - 1) * perPage, number * perPage), total: ids.length }
}

async function answer(path: string, query: Record<string, string | number | undefined>) {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  const { data, meta } = await world.read<List<Row & { item_id: string }>>(`${path}?${given}`, { token })
  return { ids: data.map(({ id, item_id }) => id ?? item_id), total: meta.total }
}

const absentOr = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined })
const paging = { page: fc.integer({ min: 1, max: 4 }), per_page: fc.integer({ min: 1, max: 50 }) }

test('items: any combination of filters and paging agrees with the model', async () => {
  const question = fc.record({
    ...paging,
    category: absentOr(fc.oneof(someCategories, fc.constantFrom('microphones', '*', ''))),
    coverage_state: absentOr(fc.constantFrom(...states)),
    updated_since: absentOr(moment),
    tag: absentOr(fc.constantFrom('tube', 'loan', 'Tube', long)),
    acquired_after: absentOr(fc.constantFrom('2024-04-30', '2024-05-01')),
    acquired_before: absentOr(fc.constantFrom('2025-05-01', '2025-05-02')),
    q: absentOr(fc.constantFrom('item', 'ITEM loan', 'none')),
  })
  await fc.assert(
    fc.asyncProperty(question, async (asked) => {
      const matching = items.filter(
        (item) =>
          !item.archived &&
          (asked.category === undefined || item.category === asked.category) &&
          (asked.coverage_state === undefined || item.coverage_state === asked.coverage_state) &&
          (asked.updated_since === undefined || item.updated_at >= asked.updated_since) &&
          (asked.tag === undefined || item.tags.includes(asked.tag)) &&
          (asked.acquired_after === undefined || String(item.acquired ?? '') > asked.acquired_after) &&
          (asked.acquired_before === undefined || String(item.acquired ?? '9') < asked.acquired_before) &&
          (asked.q === undefined || asked.q === 'item' || (asked.q === 'ITEM loan' && item.tags.includes('loan'))),
      )
      expect(await answer('/v1/items', asked)).toEqual(page(matching, asked.page, asked.per_page))
    }),
    { numRuns: 100 * deeper },
  )
})

test('valuations: of today and of any day, any combination of filters and paging agrees with the model', async () => {
  const question = fc.record({
    ...paging,
    category: absentOr(fc.oneof(someCategories, fc.constant('microphones'))),
    coverage_state: absentOr(fc.constantFrom(...states)),
    value_source: absentOr(fc.constantFrom('purchase_price', 'unknown', 'market')),
    updated_since: absentOr(moment),
    on: absentOr(fc.constantFrom('2024-04-30', '2024-05-01', '2024-12-31', '2025-01-01', '2990-12-31')),
  })
  // Recorded today; archived at the beginning of 2025, and so in no inventory of later days.
  const isHeld = ({ acquired, archived }: Modelled, day: string) =>
    (acquired !== null || day > '2026') && (acquired ?? '') <= day && (!archived || day < '2025-01-01')
  await fc.assert(
    fc.asyncProperty(question, async ({ updated_since, ...asked }) => {
      const { on } = asked
      const matching = items.filter((item) => {
        const shown = on !== undefined || item.coverage_state !== null ? item.computed : undefined
        return (
          (on === undefined ? !item.archived : isHeld(item, on)) &&
          (asked.category === undefined || item.category === asked.category) &&
          (asked.coverage_state === undefined || shown?.coverage_state === asked.coverage_state) &&
          (asked.value_source === undefined || shown?.value_source === asked.value_source) &&
          (on !== undefined || updated_since === undefined || item.updated_at >= updated_since)
        )
      })
      const ordered = on === undefined ? matching : matching.map((item) => ({ ...item, updated_at: '' }))
      const since = on === undefined && { updated_since }
      expect(await answer('/v1/valuations', { ...asked, ...since })).toEqual(page(ordered, asked.page, asked.per_page))
    }),
    { numRuns: 70 * deeper },
  )
})

test('maintenance: any combination of filters and paging agrees with the model', async () => {
  const question = fc.record({
    ...paging,
    item: absentOr(fc.nat(size + 3)),
    status: absentOr(fc.constantFrom('scheduled', 'completed')),
    updated_since: absentOr(moment),
  })
  await fc.assert(
    fc.asyncProperty(question, async ({ item, ...asked }) => {
      const item_id = item === undefined ? undefined : (items[item]?.id ?? randomUUID())
      const matching = records.filter(
        (record) =>
          !record.archived &&
          (item_id === undefined || record.item_id === item_id) &&
          (asked.status === undefined || record.status === asked.status) &&
          (asked.updated_since === undefined || record.updated_at >= asked.updated_since),
      )
      expect(await answer('/v1/maintenance', { ...asked, item_id })).toEqual(page(matching, asked.page, asked.per_page))
    }),
    { numRuns: 70 * deeper },
  )
})
