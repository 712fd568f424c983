import { z } from 'zod'
import { components, count, id, listOf, money, singleOf, text, timestamp } from './fields.ts'
import { itemFilters, valuationFields, valueSource } from './items.ts'
import { listOperation, resourceOperation } from './operation.ts'
import { day } from './parameters.ts'

/** An element of `GET /valuations`: an item's valuation fields, and the amounts behind them. */
const valuation = z
  .strictObject({
    item_id: id.describe('Id of the item; usable with `GET /items/{id}`.'),
    ...valuationFields,
    book_value: money(
      'What the books carry: the depreciated value, whatever the source of the estimate; the purchase price when nothing depreciates. ' +
        'Null when no purchase price is recorded, or the valuation is not available.',
    ).nullable(),
    purchase_price: money('What was paid; 0 when not recorded.'),
    reported_insured_value: money('Value reported as insured; 0 when none is.'),
    updated_at: timestamp.describe(
      'When any of this, or what the list filters by, last changed: by the calendar, too. Strictly increases: poll with `updated_since`.',
    ),
  })
  .describe('What one item is worth and declared for. When the valuation is not available, its fields are null.')
  .register(components, { id: 'Valuation' })

const onDay = day(
  'on',
  'The values at the end of this day, past or to come. An answer that needs more than five seconds is a 503: with more than about ' +
    '50,000 items that depreciate, it can be.',
)

export const listValuations = listOperation({
  id: 'list_valuations',
  path: '/valuations',
  summary: 'List the values of items.',
  description:
    'The values of all items that are not archived, up to 100 a request, by the latest update, then by item id, descending. Depreciation ' +
    'changes values once a month, but not the items: to poll for changed values, use `updated_since` here. `on` returns the values ' +
    'of what the studio had on that day, by item id, descending, with the market values, dated changes and disposals of the day.',
  purpose: 'What items are worth and declared for, item by item: "What is under-declared?"',
  tag: 'Items',
  examples: {
    two_a_page: { summary: 'The first of many pages', request: '/valuations?per_page=2' },
    under_declared: {
      summary: 'Microphones that are declared for less than they are worth',
      request: '/valuations?category=Microphones&coverage_state=under_covered&per_page=1',
    },
  },
  schema: listOf('ValuationList', valuation),
  list: {
    view: 'service.valuation_documents',
    filters: {
      ...itemFilters,
      value_source: {
        schema: valueSource,
        description: 'Only items whose estimated value comes from this source.',
        examples: ['depreciated'],
      },
    },
    search: { view: 'service.valuation_documents', by: [...Object.keys(itemFilters), 'value_source'] },
    options: { on: { ...onDay, notWith: 'updated_since' } },
    otherwise: {
      // Values the items of the page, unless a filter compares values: then all items.
      view: 'service.inventory_on($)',
      ofAllItems: true,
      order: { by: 'id', direction: 'desc', key: 'uuid' },
      filters: { ...itemFilters, value_source: {} },
      search: { view: 'api_v1.items_on($)', by: ['coverage_state', 'value_source'] },
      documents: 'lateral service.valuation_on($, k.id) d on true',
    },
    counters: { view: 'service.item_counts', sum: 'items', by: ['category', 'coverage_state'] },
  },
})

const numbers = {
  items: count.describe('How many items.'),
  estimated_value: money('What they are worth, as far as that is known.'),
  purchase_price: money('What was paid.'),
  replacement_cost: money('What new ones would cost, as far as that is recorded.'),
  book_value: money('What the books carry, as in `GET /valuations`.'),
  reported_insured_value: money('What is reported as insured, for items without a value too.'),
  under_declared_items: count.describe('Items that are declared for less than they are worth.'),
  under_declared: money('By how much they are.'),
  not_declared_items: count.describe('Items with a value that are not declared.'),
  not_declared: money('What these are worth.'),
  over_declared_items: count.describe('Items that are declared for more than they are worth.'),
  over_declared: money('By how much they are.'),
  without_value_items: count.describe('Items without a known value.'),
  without_value_declared: money('What these are declared for.'),
}

const summaryTotal = z
  .strictObject(numbers)
  .describe('Of all groups together.')
  .register(components, { id: 'ValuationTotal' })
const summaryGroup = z
  .strictObject({
    key: text.nullable().describe('The category, state or source, or the id of the location or policy; null: none.'),
    ...numbers,
  })
  .describe('The items of one group.')
  .register(components, { id: 'ValuationGroup' })
const groupings = z
  .enum(['category', 'location', 'coverage_state', 'value_source', 'policy'])
  .describe('What items are grouped by.')
  .register(components, { id: 'ValuationGrouping' })
const summary = z
  .strictObject({
    by: groupings,
    currency: text.describe('ISO 4217 code of every amount.'),
    groups: z.array(summaryGroup).describe('The most valuable first. They add up to the total.'),
    total: summaryTotal,
  })
  .describe('What items are worth and declared for, in groups.')
  .register(components, { id: 'ValuationSummary' })

export const getValuationSummary = resourceOperation({
  id: 'get_valuation_summary',
  path: '/valuations/summary',
  summary: 'Sums of the values of all items, in groups.',
  description:
    'Numbers of items and sums of amounts. Under-declared, not declared and over-declared amounts are never offset against each other. ' +
    'By `policy`, an item belongs to an active policy that declares it on that day, the one of its primary assignment if there are several.',
  purpose:
    'Counts and sums of estimated, paid, replacement and declared values, by category, place, coverage state, source or policy: "What is all of it worth?", "How much is declared for the microphones in each room?"',
  tag: 'Items',
  ofAllItems: true,
  examples: { by_state: { summary: 'By coverage state', request: '/valuations/summary?by=coverage_state' } },
  schema: singleOf('ValuationSummaryResponse', summary),
  parameters: {
    by: {
      schema: groupings.default('category'),
      description: 'What items are grouped by.',
      examples: ['location'],
      wrong: {
        code: 'not_allowed',
        detail: `by must be one of ${groupings.options.join(', ')}.`,
        allowed: groupings.options,
      },
    },
    on: onDay,
    category: itemFilters.category,
    coverage_state: itemFilters.coverage_state,
  },
})
