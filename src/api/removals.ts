import { z } from 'zod'
import { removalReasons, removedResources } from '../domain/vocabulary.ts'
import { components, id, listOf, timestamp } from './fields.ts'
import { listOperation } from './operation.ts'

const removal = z
  .strictObject({
    resource: z.enum(removedResources).describe('Which list the record has left.'),
    id: id.describe('Id of the record in that list.'),
    reason: z
      .enum(removalReasons)
      .describe(
        '`archived` (items, policies), `deleted`, `expired` or `not_started` (policies whose days are over, or were moved), ' +
          '`item_archived` (maintenance of an archived item), `not_in_plan` (locations that the plan does not show).',
      ),
    removed_at: timestamp.describe('When the record left the list: poll with `updated_since`.'),
  })
  .describe('A record that has left its list.')
  .register(components, { id: 'Removal' })

export const listRemovals = listOperation({
  id: 'list_removals',
  path: '/removals',
  summary: 'List removed records.',
  description:
    'Records that have left their list, until they return: archived, deleted, past their end or hidden by the plan. Sorted by the ' +
    'latest removal, then by id, descending. The service keeps removals for 90 days, unless the operator sets another time. An older ' +
    '`updated_since` gets a 410: then read all lists again. Ignore an id that you do not know: the record left before you saw it.',
  purpose: 'What has left the lists, and why: "What did we sell or archive recently?" Pass `updated_since`.',
  tag: 'Sync',
  examples: { two_a_page: { summary: 'The first of several pages', request: '/removals?per_page=2' } },
  schema: listOf('RemovalList', removal),
  list: {
    view: 'service.removal_documents',
    order: { by: 'removed_at', direction: 'desc', key: 'timestamptz' },
    changedAt: 'removed_at',
    filters: {},
    completeSince: 'access.removals_since()',
  },
})
