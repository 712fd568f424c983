import { z } from 'zod'
import { components, date, id, money, text } from './fields.ts'

/** An element of `GET /items/{id}/policies`: one assignment of the item to a policy. */
export const assignment = z
  .strictObject({
    policy_id: id.describe('Id of the policy; usable with `GET /policies/{id}`.'),
    policy_name: text.nullable().describe('Name of the policy; null when unavailable.'),
    declared_value: money.nullable().describe('Amount declared for this item under the policy; null means unknown.'),
    is_primary: z.boolean().describe('At most one assignment of an item is primary.'),
    effective_start: date.nullable().describe('The first day of the assignment. Null when no window is set.'),
    effective_end: date.nullable().describe('The last day of the assignment. Null when the window is open-ended.'),
  })
  .describe('One item, declared under one policy.')
  .register(components, { id: 'Assignment' })
