import { z } from 'zod'
import { singleOf } from './envelope-schemas.ts'
import { components, date, id, money, text } from './fields.ts'
import { resourceOperation } from './operation.ts'

/** An element of `GET /items/{id}/policies`: one assignment of the item to a policy. */
export const assignment = z
  .strictObject({
    policy_id: id.describe('Id of the policy; usable with `GET /policies/{id}`.'),
    policy_name: text.nullable().describe('Name of the policy; null when unavailable.'),
    declared_value: money('Declared for this item under the policy; null means unknown.').nullable(),
    is_primary: z.boolean().describe('At most one assignment of an item is primary.'),
    effective_start: date.nullable().describe('When the assignment begins; null when no window is set.'),
    effective_end: date.nullable().describe('When the assignment ends; null when the window is open-ended.'),
  })
  .describe('One item, declared under one policy.')
  .register(components, { id: 'Assignment' })

export const listItemPolicies = resourceOperation({
  id: 'list_item_policies',
  path: '/items/{id}/policies',
  summary: 'Policy assignments of one item.',
  description:
    'Every assignment of the item, including those to archived and expired policies: the primary one first, then by policy id. Not paged.',
  purpose: 'Which policies declare one item, and for how much: "Is this microphone insured, and where?"',
  tag: 'Items',
  examples: {
    assigned: {
      summary: 'An item under several policies',
      request: '/items/3387824d-f7be-45f1-80be-8d3dfc2b34df/policies',
    },
  },
  schema: singleOf('AssignmentsResponse', assignment.array().describe('All assignments of the item.')),
  envelope: 'array',
})
