import { z } from 'zod'
import { maximumPageSize } from '../../api/parameters.ts'
import { categories, coverageStates } from '../../domain/vocabulary.ts'
import { answerMeta, ToolFailure } from './api.ts'
import { type Filters, maxRequests, type Reading, reading } from './reading.ts'
import { argumentsOf, notice, type Tool } from './tool.ts'

const maxItems = maxRequests * maximumPageSize

const input = z.strictObject({
  by: z.enum(['category', 'location', 'coverage_state']).describe('What the sums are grouped by.'),
  category: z.enum(categories).optional().describe('Only items of this category.'),
  coverage_state: z.enum(coverageStates).optional().describe('Only items in this coverage state.'),
  estimated_value: z
    .boolean()
    .default(false)
    .describe(
      `Whether estimated values are summed too. They are in no list: each item is one more request, so at most ${maxRequests} items.`,
    ),
})

const amount = (what: string) => z.string().describe(`${what} An exact decimal number, in \`currency\`.`)

const sums = {
  count: z.int().min(0).describe('How many items.'),
  purchase_price: amount('What was paid; 0 for an item whose price is not recorded.'),
  reported_insured_value: amount('The values reported as insured (declared); 0 for an item without.'),
  estimated_value: amount('What the items are worth today: of those whose value is known.').optional(),
  without_estimated_value: z.int().min(0).optional().describe('Items whose value is not known, and not in that sum.'),
}

const output = z.looseObject({
  notice: z.literal(notice),
  by: input.shape.by,
  currency: z.string().describe('ISO 4217 code of every amount.'),
  groups: z
    .array(
      z.looseObject({
        key: z
          .string()
          .nullable()
          .describe('The category, the coverage state or the id of the location; null: none, or not known.'),
        name: z.string().nullable().optional().describe('Of locations: what the studio calls it; null when not shown.'),
        ...sums,
      }),
    )
    .describe('Largest purchase price first.'),
  total: z.looseObject(sums).describe('Of all groups together.'),
  complete: z.boolean().describe('False when the inventory changed while it was read: call again for exact sums.'),
  _meta: answerMeta,
})

/** Sums of items, of the lists' pages and with the caller's own token. */
export const sumItems: Tool = {
  name: 'sum_items',
  title: 'Sum items by category, location or coverage state',
  description:
    'Counts items and sums their purchase prices and reported insured (declared) values, exactly, in groups. Use this instead of adding ' +
    'amounts of `list_items`. Estimated values are summed on request, of few items. Gaps, deductibles, limits of policies, costs of ' +
    `maintenance and archived items are not summed. For at most ${maxItems} items.`,
  input,
  output,
  async run(given, get) {
    const { by, category, coverage_state, estimated_value } = argumentsOf(input, given)
    const from = reading(get, `More than ${maxItems} items: call again with a category or a coverage_state.`)
    const account = await from.one('/account', z.looseObject({ currency: z.string() }))
    const { items, complete } = await itemsOf(from, by, { category, coverage_state })
    const valued = estimated_value ? await withValues(from, items) : items
    const names = by === 'location' ? await namesOf(from, items) : undefined
    const groups = groupsOf(valued).map(({ key, ...rest }) =>
      names === undefined ? { key, ...rest } : { key, name: names.get(key ?? '') ?? null, ...rest },
    )
    const remarks = [
      estimated_value
        ? 'Summed: purchase_price, reported_insured_value and estimated_value.'
        : 'Summed: purchase_price and reported_insured_value. Not summed: estimated values (estimated_value: true sums them, of few items).',
      ...(complete ? [] : ['The inventory changed while it was read: call again for exact sums.']),
    ]
    const { currency } = account.data
    return {
      content: { by, currency, groups, total: totalOf(valued), complete, _meta: account._meta },
      remarks,
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

type Items = { items: SummedItem[]; complete: boolean }
type GroupBy = z.output<typeof input>['by']

async function itemsOf(from: Reading, by: GroupBy, filters: Filters): Promise<Items> {
  if (by === 'coverage_state') return itemsByState(from, filters)
  const { records, total } = await from.all('/items', filters, listed)
  const items = new Map(
    records.map((item) => [item.id, { ...item, key: by === 'category' ? item.category : item.location_id }]),
  )
  return { items: [...items.values()], complete: items.size === total }
}

/** The list does not say in which state an item is, but filters by it. Items whose valuation is not available are in none. */
async function itemsByState(from: Reading, { coverage_state, ...filters }: Filters): Promise<Items> {
  const items = new Map<string, SummedItem>()
  let expected = 0
  for (const state of coverageStates.filter((each) => coverage_state === undefined || each === coverage_state)) {
    const { records, total } = await from.all('/items', { ...filters, coverage_state: state }, listed)
    for (const item of records) items.set(item.id, { ...item, key: state })
    expected += total
  }
  if (coverage_state === undefined && (await from.count('/items', filters)) !== items.size) {
    const { records, total } = await from.all('/items', filters, listed)
    for (const item of records) if (!items.has(item.id)) items.set(item.id, { ...item, key: null })
    expected = total
  }
  return { items: [...items.values()], complete: items.size === expected }
}

const valuation = z.looseObject({ current_estimated_value: z.number().nullable() })

async function withValues(from: Reading, items: SummedItem[]): Promise<SummedItem[]> {
  if (items.length > maxRequests) {
    throw new ToolFailure(
      `Estimated values are summed of at most ${maxRequests} items, and these are ${items.length}: call again with a category or a ` +
        'coverage_state, or without estimated_value.',
    )
  }
  const valued: SummedItem[] = []
  for (const item of items) {
    const detail = await from.find(`/items/${encodeURIComponent(item.id)}`, valuation)
    valued.push({ ...item, estimated_value: detail?.current_estimated_value ?? null })
  }
  return valued
}

/** What the studio calls its locations, by id. */
async function namesOf(from: Reading, items: SummedItem[]): Promise<Map<string, string>> {
  if (items.every(({ key }) => key === null)) return new Map()
  const { records } = await from.all('/locations', {}, z.looseObject({ id: z.string(), name: z.string() }))
  return new Map(records.map(({ id, name }) => [id, name]))
}

/** An item in its group. `estimated_value` is undefined where it is not asked for, null where it is not known. */
type SummedItem = {
  id: string
  key: string | null
  purchase_price: number
  reported_insured_value: number
  estimated_value?: number | null
}

type Sums = {
  count: number
  purchase_price: string
  reported_insured_value: string
  estimated_value?: string
  without_estimated_value?: number
}

/** The sums of each group, the largest purchase price first. */
function groupsOf(items: readonly SummedItem[]): ({ key: string | null } & Sums)[] {
  const groups = [...Map.groupBy(items, ({ key }) => key)]
  return groups
    .map(([key, members]) => ({ key, price: sumOf(members, 'purchase_price'), sums: totalOf(members) }))
    .toSorted(
      (a, b) => Number(b.price > a.price) - Number(b.price < a.price) || (String(a.key) < String(b.key) ? -1 : 1),
    )
    .map(({ key, sums }) => ({ key, ...sums }))
}

/** The sums of all items; of estimated values where they were asked for. */
function totalOf(items: readonly SummedItem[]): Sums {
  const sums = {
    count: items.length,
    purchase_price: decimalOf(sumOf(items, 'purchase_price')),
    reported_insured_value: decimalOf(sumOf(items, 'reported_insured_value')),
  }
  if (items.every((item) => item.estimated_value === undefined)) return sums
  return {
    ...sums,
    estimated_value: decimalOf(sumOf(items, 'estimated_value')),
    without_estimated_value: items.filter((item) => item.estimated_value === null).length,
  }
}

function sumOf(items: readonly SummedItem[], name: 'purchase_price' | 'reported_insured_value' | 'estimated_value') {
  return items.reduce((sum, item) => sum + centsOf(item[name] ?? 0), 0n)
}

/**
 * An amount in whole cents, which add up exactly.
 *
 * @param amount a number with at most two decimals and 14 digits, as the API returns it: JSON reads each into a number of its own
 */
export function centsOf(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''))
}

/** Cents as a decimal number with two decimals: `-0.05` for -5. */
export function decimalOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
