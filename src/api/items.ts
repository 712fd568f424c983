import { z } from 'zod'
import { categories, coverageStates, depreciationMethods, valueSources } from '../domain/vocabulary.ts'
import { components, date, id, listOf, money, recordTimes, singleOf, text, timestamp } from './fields.ts'
import { type ListSource, listOperation, resourceOperation } from './operation.ts'
import { day, exactText, type Filter, searchText, storable } from './parameters.ts'

const category = z
  .enum(categories)
  .describe(
    'Exact to the byte and case-sensitive: the dash in `Outboard \u2014 Dynamics & EQ` is an em dash (U+2014), and the fallback ' +
      '`Other / Uncategorised`, which items carry that fit no other or predate the vocabulary, has British spelling.',
  )
  .register(components, { id: 'Category' })

const depreciationMethod = z
  .enum(depreciationMethods)
  .describe(
    'How the value falls with age, down to the residual value at the end of the useful life. `straight_line`: by the ' +
      'same amount every month. `declining_balance` and `double_declining_balance`: every year by a share of the value at ' +
      'the beginning of that year, a twelfth of it every month; the share is 150% or 200%, divided by the useful life in years.',
  )
  .register(components, { id: 'DepreciationMethod' })

export const valueSource = z
  .enum(valueSources)
  .describe(
    'Where the estimated value comes from: the first of these that is available. `agreed` is reserved and does not occur in v1; ' +
      'tolerate it, because it will once policy-backed agreed values ship.',
  )
  .register(components, { id: 'ValueSource' })

const coverageState = z
  .enum(coverageStates)
  .describe(
    'Whether the value of the item is known and declared. It does not say whether insurance would pay. The app calls these ' +
      'Fully Declared, Under-Declared, Not Declared and Value Unknown.',
  )
  .register(components, { id: 'CoverageState' })

const listFields = {
  id: id.describe('Unique item id.'),
  name: text.describe('What the studio calls it.'),
  manufacturer: text.describe('Who made it; empty when not recorded.'),
  model: text.describe('The name that the manufacturer gave it; empty when not recorded.'),
  serial_number: text.describe(
    'Serial number; empty when not recorded. `serial_number=` finds the items that have exactly it.',
  ),
  barcode: text.describe(
    'Barcode, or the number of a label; empty when not recorded. `barcode=` finds the items that have exactly it.',
  ),
  category,
  tags: z.array(text).describe("The studio's own tags; empty when there are none."),
  purchase_price: money('What was paid; 0 when not recorded.'),
  acquisition_date: date.nullable().describe('When it was acquired; null when unknown.'),
  depreciation_method: depreciationMethod,
  market_value_as_of: timestamp
    .nullable()
    .describe('When the market value was last refreshed. Null when the item has no market value.'),
  reported_insured_value: money('Value reported as insured; 0 when none is.'),
  location_id: id.nullable().describe('Where it is: the id of a location. Null when no location is set.'),
  created_at: recordTimes.created_at,
  updated_at: timestamp.describe(
    'When somebody last changed anything shown of the item, here or in its detail. Strictly increases: poll with `updated_since`. ' +
      'What the calendar alone changes (depreciation) moves the `updated_at` of its valuation, in `/valuations`.',
  ),
}

/** An element of `GET /items`: without the fields marked "Detail only". */
export const itemListed = z
  .strictObject(listFields)
  .describe('A piece of equipment, as the list shows it.')
  .register(components, { id: 'ItemSummary' })

export const valuationFields = {
  current_estimated_value: money('What it is worth today, by `value_source`; null when not available.').nullable(),
  value_source: valueSource.nullable().describe('Null when not available.'),
  agreed_value_from_policy: z.number().nullable().describe('Reserved: always null in v1.'),
  coverage_state: coverageState.nullable().describe('Null when the valuation is not available.'),
  gap_amount: money('Estimated value minus insured value, may be negative; null when not available.').nullable(),
}

/** `GET /items/{id}`. Without a valuation, its fields are null and the rest is complete. */
export const itemDetail = z
  .strictObject({
    ...listFields,
    ...valuationFields,
    photo_urls: z
      .array(z.url())
      .describe('Signed URLs valid for 1 hour; empty when photos cannot be resolved or signed.'),
  })
  .describe(
    'A piece of equipment with its valuation and photos. When the valuation is not available, its fields are null and the rest is complete.',
  )
  .register(components, { id: 'Item' })

type ItemFilter = 'category' | 'coverage_state' | 'location_id' | 'include_sublocations'

/** Filters of every list about items. */
export const itemFilters: Readonly<Record<ItemFilter, Filter>> = {
  category: {
    schema: z.string(),
    description: 'Exact, case-sensitive category. Any other text matches no item.',
    examples: categories,
    read: storable,
  },
  coverage_state: {
    schema: coverageState,
    description: 'Only items in this coverage state.',
    examples: ['uninsured'],
  },
  location_id: {
    schema: id,
    description: 'Only items at this location; with `include_sublocations` also at the locations within it.',
    examples: ['5f8d6c1e-2b9a-4c3d-8e7f-1a2b3c4d5e6f'],
    wrong: { code: 'not_a_uuid', detail: 'location_id must be a UUID.' },
  },
  include_sublocations: {
    schema: z.enum(['true', 'false']),
    description: 'With `location_id`: `true` also finds items at locations within it, at any depth.',
    examples: ['true'],
    widens: 'location_id',
    condition: 'r.location_id = any ((select api_v1.locations_within($))::uuid[])',
  },
}

/** How the list of items is read, by the API and the console. */
export const itemList: ListSource<Filter> = {
  view: 'service.item_documents',
  filters: {
    ...itemFilters,
    barcode: exactText('barcode', 'barcode', 'NL-1130', 'items'),
    serial_number: exactText('serial_number', 'serial number', 'DW9971454', 'items'),
    q: {
      schema: z.string().min(1).regex(/\S/),
      description:
        'Only items that contain each of these words in the name, manufacturer, model, serial number, barcode or tags, in any ' +
        'case. Spaces and hyphens of the item are ignored, so `u87` finds U 87.',
      examples: ['neumann u87'],
      read: searchText,
      wrong: { code: 'empty', detail: 'q must have a word; leave it out for all items.' },
      condition: 'r.words like all ((select api_v1.search_patterns($))::text[])',
    },
    tag: {
      ...exactText('tag', 'tag', 'vintage', 'items'),
      condition: '$ = any (r.tags)',
      isSelective: false,
    },
    acquired_before: {
      ...day('acquired_before', 'Only items acquired before this day. Items without a date are left out.'),
      condition: 'r.acquisition_date < $',
    },
    acquired_after: {
      ...day('acquired_after', 'Only items acquired after this day. Items without a date are left out.'),
      condition: 'r.acquisition_date > $',
    },
  },
  search: {
    view: 'service.searched_items',
    by: ['q', 'include_sublocations', 'tag', 'acquired_before', 'acquired_after'],
  },
  counters: { view: 'service.item_counts', sum: 'items', by: ['category', 'coverage_state'] },
}

export const listItems = listOperation({
  id: 'list_items',
  path: '/items',
  summary: 'List items.',
  description:
    'Sorted by the latest update, then by id, descending. An item must match every filter. If no item matches, the response ' +
    'is 200 with an empty list. To poll for changes, use `updated_since`. The list has no values: they are ' +
    'in `/valuations` and in the detail of each item.',
  purpose:
    'Lists equipment, newest change first: "What did we add this month?", "Show the microphones that are not declared." Archived items are left out.',
  tag: 'Items',
  examples: {
    two_a_page: { summary: 'The first of many pages', request: '/items?per_page=2' },
    filtered: {
      summary: 'Microphones without declared value',
      request: '/items?category=Microphones&coverage_state=uninsured&per_page=1',
    },
    found: { summary: 'An item by its serial number', request: '/items?serial_number=DW9971454' },
    none: { summary: 'Nothing has changed since', request: '/items?updated_since=2026-03-02T09:30:00Z&per_page=50' },
  },
  schema: listOf('ItemList', itemListed),
  list: itemList,
})

export const getItem = resourceOperation({
  id: 'get_item',
  path: '/items/{id}',
  summary: 'One item, with its valuation and photo URLs.',
  description:
    'The valuation says whether the value of the item is known and declared, not whether insurance would pay. A photo URL works for one ' +
    'hour without a token: fetch it soon, and do not store it.',
  purpose:
    'Everything about one item: "What is the U 87 worth?", "Is it declared for enough?" Photo URLs work for one hour without a token.',
  tag: 'Items',
  examples: {
    valued: {
      summary: 'An item declared for less than it is worth',
      request: '/items/3387824d-f7be-45f1-80be-8d3dfc2b34df',
    },
    unavailable: {
      summary: 'An item whose valuation is not available',
      request: '/items/edde5240-27fa-42f9-85a9-f82a792a14e5',
    },
  },
  schema: singleOf('ItemResponse', itemDetail),
  photos: true,
})
