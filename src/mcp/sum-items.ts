import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { maximumPageSize } from '../api/parameters.ts'
import { categories, coverageStates, minorUnits } from '../domain/vocabulary.ts'
import { answerMeta, type Get, nextCursor, notTheApi, read, ToolFailure } from './api-client.ts'
import { argumentsOf, notice, type Tool } from './tool.ts'

/** A Pro plan's minute allows twice this many pages, which sums by state need. */
const maxItems = 50 * maximumPageSize

/** Waits for the next second's quota, but not for the next minute's. */
const longestWaitSeconds = 2

const input = z.strictObject({
  by: z.enum(['category', 'location', 'coverage_state']).describe('What the sums are grouped by.'),
  category: z.enum(categories).optional().describe('Only items of this category.'),
  coverage_state: z.enum(coverageStates).optional().describe('Only items in this coverage state.'),
})

const amount = (what: string) => z.string().describe(`${what} An exact decimal number, in \`currency\`.`)

const sums = {
  count: z.int().min(0).describe('How many items.'),
  purchase_price: amount('What was paid; 0 for an item whose price is not recorded.'),
  reported_insured_value: amount('The values reported as insured (declared); 0 for an item without.'),
}

const key = z.string().nullable()
const output = z.looseObject({
  notice: z.literal(notice),
  by: input.shape.by,
  currency: z.string().describe('ISO 4217 code of every amount.'),
  groups: z
    .array(
      z.looseObject({
        key: key.describe('The category, the coverage state or the id of the location; null: none, or not known.'),
        ...sums,
      }),
    )
    .describe('Largest purchase price first.'),
  total: z.looseObject(sums).describe('Of all groups together.'),
  complete: z.boolean().describe('False when the inventory changed while it was read: call again for exact sums.'),
  _meta: answerMeta,
})

/** Sums items, from pages of the list, with the caller's own token. */
export const sumItems: Tool = {
  name: 'sum_items',
  title: 'Sum items by category, location or coverage state',
  description:
    'Counts items and sums their purchase prices and reported insured (declared) values, exactly, in groups. Use this instead of adding ' +
    'amounts of `list_items`. Estimated values, gaps, deductibles, limits of policies, costs of maintenance and archived items are not ' +
    `summed. For at most ${maxItems} items.`,
  input,
  output,
  async run(given, get) {
    const { by, ...filters } = argumentsOf(input, given)
    const all = readerOf(patient(get))
    const { data, _meta } = await read(get, '/account')
    const { items, complete } = await (by === 'coverage_state' ? byState(all, filters) : byField(all, filters, by))
    const changed = 'The inventory changed while it was read: call again for exact sums.'
    const remarks = ['Summed: purchase_price and reported_insured_value. Estimated values are not.']
    const { currency } = valid(z.looseObject({ currency: z.string() }), data)
    return {
      content: { by, currency, ...sumsOf(items, minorUnits(currency)), complete, _meta },
      remarks: complete ? remarks : [...remarks, changed],
    }
  },
}

const listed = z.looseObject({
  id: z.string(),
  category: z.string(),
  location_id: z.string().nullable(),
  purchase_price: z.number(),
  reported_insured_value: z.number(),
})

type Listed = z.output<typeof listed>
type Filters = Readonly<Record<string, string | undefined>>

/** Reads all items of a list by cursor. `total` is their number at the end. */
type ReadAll = (filters: Filters) => Promise<{ items: Listed[]; total: number }>

function readerOf(get: Get): ReadAll {
  return async (filters) => {
    const items: Listed[] = []
    const query = new URLSearchParams({ per_page: String(maximumPageSize) })
    for (const [name, value] of Object.entries(filters)) if (value !== undefined) query.set(name, value)
    for (;;) {
      const { data, meta, reply } = await read(get, `/items?${query}`)
      if (meta === undefined) throw notTheApi(reply.status)
      // Requests count against the token's quota.
      if (meta.total > maxItems) {
        throw new ToolFailure(`More than ${maxItems} items: call again with a category or a coverage_state.`)
      }
      items.push(...valid(listed.array(), data))
      const cursor = nextCursor(reply)
      if (cursor === null) return { items, total: meta.total }
      query.set('cursor', cursor)
    }
  }
}

/** Like `get`, for many requests in a row: waits while this second's quota is used up. */
function patient(get: Get): Get {
  return async (path, signal) => {
    for (;;) {
      const reply = await get(path, signal)
      const wait = Number(reply.header('retry-after'))
      if (reply.status !== 429 || !(wait > 0 && wait <= longestWaitSeconds)) return reply
      await sleep(wait * 1000, undefined, { signal })
    }
  }
}

function valid<Schema extends z.ZodType>(schema: Schema, data: unknown): z.output<Schema> {
  const parsed = schema.safeParse(data)
  if (!parsed.success) throw notTheApi(200)
  return parsed.data
}

/** An item in its group. */
type Grouped = Pick<Listed, 'purchase_price' | 'reported_insured_value'> & { key: string | null }
type Read = { items: Grouped[]; complete: boolean }

async function byField(all: ReadAll, filters: Filters, by: 'category' | 'location'): Promise<Read> {
  const { items, total } = await all(filters)
  const grouped = items.map((item) => ({ ...item, key: by === 'category' ? item.category : item.location_id }))
  const each = new Map(grouped.map((item) => [item.id, item]))
  return { items: [...each.values()], complete: each.size === total }
}

/** The list filters by states but does not show them. Items without a valuation are in none. */
async function byState(all: ReadAll, { coverage_state, ...filters }: Filters): Promise<Read> {
  const found = new Map<string, Grouped>()
  let expected = 0
  for (const state of coverageStates.filter((each) => coverage_state === undefined || each === coverage_state)) {
    const { items, total } = await all({ ...filters, coverage_state: state })
    for (const item of items) found.set(item.id, { ...item, key: state })
    expected += total
  }
  if (coverage_state === undefined) {
    const { items, total } = await all(filters)
    for (const item of items) if (!found.has(item.id)) found.set(item.id, { ...item, key: null })
    expected = total
  }
  return { items: [...found.values()], complete: found.size === expected }
}

/** The sums by group, the largest purchase price first. */
function sumsOf(items: readonly Grouped[], decimals: number) {
  const sum = (amounts: readonly number[]) =>
    decimalOf(
      amounts.reduce((all, each) => all + unitsOf(each, decimals), 0n),
      decimals,
    )
  const totalOf = (members: readonly Grouped[]) => ({
    count: members.length,
    purchase_price: sum(members.map((item) => item.purchase_price)),
    reported_insured_value: sum(members.map((item) => item.reported_insured_value)),
  })
  const groups = [...Map.groupBy(items, (item) => item.key)].map(([key, members]) => ({ key, ...totalOf(members) }))
  const sorted = groups.toSorted(
    (a, b) => Number(b.purchase_price) - Number(a.purchase_price) || (String(a.key) < String(b.key) ? -1 : 1),
  )
  return { groups: sorted, total: totalOf(items) }
}

/** An amount in its currency's smallest unit, for exact sums. Numbers have at most 15 digits. */
const unitsOf = (amount: number, decimals: number): bigint => BigInt(amount.toFixed(decimals).replace('.', ''))

/** Cents as a decimal number. @example decimalOf(5n, 2) is '0.05' */
function decimalOf(units: bigint, decimals: number): string {
  const digits = String(units).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
