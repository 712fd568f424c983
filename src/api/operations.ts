import { account } from './account.ts'
import { listOf, singleOf } from './envelope.ts'
import { assignment } from './item-policies.ts'
import { itemDetail, itemListed } from './items.ts'
import { location } from './locations.ts'
import { maintenanceRecord } from './maintenance.ts'
import type { Operation } from './operation.ts'
import { policyDetail, policyListed } from './policies.ts'
import { removal } from './removals.ts'

/** The version segment in front of every path. */
export const prefix = '/v1'

const paging = { page: 'bigint', per_page: 'integer' } as const

/** Of the demo studio, which has the same ids wherever it is made. */
const itemId = '3d451b8b-33c6-4827-89e5-976427d10924'
const itemWithoutValuation = '43a6486f-a010-468f-8173-795cfded2a38'
const servicedItem = 'fc1ed6e7-9331-473c-a1e0-9c12a2c716cd'
const policyId = '790e88c0-fcba-4e90-8a42-f72710a34fad'

/**
 * The operations of v1: the eight of the specification, and `list_removals`.
 *
 * Each is one call of one function, which authenticates the token and reads the data under one snapshot. A malformed id goes there as null,
 * so that the token is authenticated first and the answer is the same 404 as for an id that does not exist.
 */
export const operations: readonly Operation[] = [
  {
    id: 'list_items',
    method: 'GET',
    path: '/items',
    summary: 'List items.',
    description:
      'Newest updated first; ties by id, descending. Filters are combined: every one of them must match. When no item matches the answer ' +
      'is 200 with an empty list. With `updated_since` this is the way to poll for changes. The list has no values: they are in the detail ' +
      'of each item, and of all items at once in GraphQL and SQL, for analysts, and in the report that the console offers.',
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
    arguments: {
      ...paging,
      category: 'text',
      coverage_state: 'text',
      updated_since: 'timestamptz',
      barcode: 'text',
      serial_number: 'text',
    },
    key: 'timestamptz',
    envelope: 'list',
    schema: listOf('ItemList', itemListed),
  },
  {
    id: 'get_item',
    method: 'GET',
    path: '/items/{id}',
    summary: 'One item, with its valuation and photo URLs.',
    description:
      'The valuation says whether the value of the item is known and declared, not whether insurance would pay. A photo URL works for one ' +
      'hour without a token: fetch it soon, and do not store it.',
    tag: 'Items',
    examples: {
      valued: { summary: 'An item declared for less than it is worth', request: `/items/${itemId}` },
      unavailable: { summary: 'An item whose valuation is not available', request: `/items/${itemWithoutValuation}` },
    },
    arguments: { id: 'uuid' },
    envelope: 'single',
    schema: singleOf('ItemResponse', itemDetail),
    photos: true,
  },
  {
    id: 'list_item_policies',
    method: 'GET',
    path: '/items/{id}/policies',
    summary: 'Policy assignments of one item.',
    description:
      'Every assignment of the item, including those to archived and expired policies: the primary one first, then by policy id. Not paged.',
    tag: 'Items',
    examples: { assigned: { summary: 'An item under several policies', request: `/items/${itemId}/policies` } },
    arguments: { id: 'uuid' },
    envelope: 'array',
    schema: singleOf('AssignmentsResponse', assignment.array().describe('All assignments of the item.')),
  },
  {
    id: 'list_locations',
    method: 'GET',
    path: '/locations',
    summary: 'List locations.',
    description:
      'Newest updated first; ties by id, descending. On a Pro plan this is the one implicit location of the studio; more are a feature of ' +
      'the Studio plan.',
    tag: 'Locations',
    examples: { two_a_page: { summary: 'The first of several pages', request: '/locations?per_page=2' } },
    arguments: { ...paging, updated_since: 'timestamptz' },
    key: 'timestamptz',
    envelope: 'list',
    schema: listOf('LocationList', location),
  },
  {
    id: 'list_maintenance',
    method: 'GET',
    path: '/maintenance',
    summary: 'Scheduled and completed maintenance.',
    description: 'Newest updated first; ties by id, descending. Records of archived items are excluded.',
    tag: 'Maintenance',
    examples: {
      scheduled: { summary: 'Work to be done', request: '/maintenance?status=scheduled&per_page=1' },
      completed: {
        summary: 'Work done on one item',
        request: `/maintenance?item_id=${servicedItem}&status=completed&per_page=2`,
      },
    },
    arguments: { ...paging, item_id: 'uuid', status: 'text', updated_since: 'timestamptz' },
    key: 'timestamptz',
    envelope: 'list',
    schema: listOf('MaintenanceList', maintenanceRecord),
  },
  {
    id: 'list_policies',
    method: 'GET',
    path: '/policies',
    summary: 'List active policies.',
    description:
      'Policies that are active today on the calendar of the studio: not archived, begun, and not ended. Most recently begun first; ties ' +
      'by id, descending. With `updated_since` also those that have begun by their date since then.',
    tag: 'Policies',
    examples: { two_a_page: { summary: 'The first of several pages', request: '/policies?per_page=2' } },
    arguments: { ...paging, updated_since: 'timestamptz' },
    key: 'date',
    envelope: 'list',
    schema: listOf('PolicyList', policyListed),
  },
  {
    id: 'get_policy',
    method: 'GET',
    path: '/policies/{id}',
    summary: 'One policy, with its assignment count.',
    description: 'Any policy of the studio, including archived and expired ones.',
    tag: 'Policies',
    examples: { assigned: { summary: 'A policy with its number of assignments', request: `/policies/${policyId}` } },
    arguments: { id: 'uuid' },
    envelope: 'single',
    schema: singleOf('PolicyResponse', policyDetail),
  },
  {
    id: 'list_removals',
    method: 'GET',
    path: '/removals',
    summary: 'List what has left the lists.',
    description:
      'Records that were archived, deleted, have ended by their date or are hidden by the plan, for as long as they are away: most ' +
      'recently removed first; ties by id, descending. Known for 90 days, unless the operator has set another time; an older ' +
      '`updated_since` is answered with 410, and then all lists are to be read again. An id that you do not know is no error: the ' +
      'record left before you saw it.',
    tag: 'Sync',
    examples: {
      two_a_page: { summary: 'The first of several pages', request: '/removals?per_page=2' },
    },
    arguments: { ...paging, updated_since: 'timestamptz' },
    key: 'timestamptz',
    envelope: 'list',
    schema: listOf('RemovalList', removal),
  },
  {
    id: 'get_account',
    method: 'GET',
    path: '/account',
    summary: 'Plan tier, current billing period and item count.',
    description: 'The studio that the token reads, its plan and its billing period.',
    tag: 'Account',
    examples: { studio: { summary: 'A studio on the Studio plan', request: '/account' } },
    arguments: {},
    envelope: 'single',
    schema: singleOf('AccountResponse', account),
  },
]
