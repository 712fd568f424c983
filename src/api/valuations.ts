import { z } from 'zod'
import { listOf } from './envelope.ts'
import { components, id, money, recordTimes } from './fields.ts'
import { itemFilters, valuationFields, valueSource } from './items.ts'
import { listOperation } from './operation.ts'
import { includeSublocations } from './parameters.ts'

/** An element of `GET /valuations`: an item's valuation fields, and the amounts behind them. */
const valuation = z
  .strictObject({
    item_id: id.describe('Id of the item; usable with `GET /items/{id}`.'),
    ...valuationFields,
    purchase_price: money('What was paid; 0 when not recorded.'),
    reported_insured_value: money('Value reported as insured; 0 when none is.'),
    updated_at: recordTimes.updated_at,
  })
  .describe('What one item is worth and declared for. When the valuation is not available, its fields are null.')
  .register(components, { id: 'Valuation' })

const { category, coverage_state, location_id } = itemFilters

export const listValuations = listOperation({
  id: 'list_valuations',
  path: '/valuations',
  summary: 'List the values of items.',
  description:
    'The values of all items that are not archived, 100 a request, in the order of `/items`: newest updated first; ties by item id, ' +
    'descending. With `updated_since` this is the way to poll for changed values: depreciation changes them once a month.',
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
    orderBy: 'updated_at',
    orderType: 'timestamptz',
    changedAt: 'updated_at',
    filters: {
      category,
      coverage_state,
      location_id,
      value_source: {
        schema: valueSource,
        description: 'Only items whose estimated value comes from this source.',
        examples: ['depreciated'],
        condition: 'r.value_source = $',
        isScanned: true,
      },
    },
    options: { include_sublocations: includeSublocations },
    counters: { view: 'service.item_counts', sum: 'items', by: ['category', 'coverage_state'] },
  },
})
