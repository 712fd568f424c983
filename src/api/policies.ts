import { z } from 'zod'
import { policyTypes } from '../domain/vocabulary.ts'
import { components, count, date, id, listOf, money, singleOf, text } from './fields.ts'
import { listOperation, resourceOperation } from './operation.ts'
import { day } from './parameters.ts'

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

const policyType = z
  .enum(policyTypes)
  .describe('A recognised type of policy.')
  .register(components, { id: 'PolicyType' })

const listFields = {
  id: id.describe('Unique policy id.'),
  name: text.describe('What the studio calls it.'),
  carrier: text.nullable().describe('The insurer; null when not recorded.'),
  policy_number: text.nullable().describe('Number of the policy; null when not recorded.'),
  policy_type: policyType.nullable().describe('Null when the stored value is not a recognised type.'),
  overall_limit: money('The most that the policy pays in all; null when not set.').nullable(),
  deductible: money('What the studio bears of a loss itself; null when not set.').nullable(),
  covered_perils: z
    .array(text)
    .nullable()
    .describe('What is insured against, in the words of the studio; null when not recorded.'),
  location_constraints: text.nullable().describe('Where equipment is covered: free text; null when not set.'),
  effective_start: date.nullable().describe('When coverage begins; null when not set.'),
  effective_end: date.nullable().describe('The last day of coverage; null for an open-ended policy.'),
  archived: z.boolean().describe('Always false in the list; the detail shows any policy of the studio.'),
}

/** An element of `GET /policies`, which lists only active policies. */
export const policyListed = z
  .strictObject(listFields)
  .describe('An insurance policy, as the list shows it.')
  .register(components, { id: 'PolicySummary' })

export const policyDetail = z
  .strictObject({
    ...listFields,
    assignments_count: count.describe(
      'All equipment assignments to the policy, whatever their window. 0 when they cannot be counted.',
    ),
  })
  .describe('An insurance policy with the number of its assignments.')
  .register(components, { id: 'Policy' })

export const listPolicies = listOperation({
  id: 'list_policies',
  path: '/policies',
  summary: 'List active policies.',
  description:
    'Policies that are active today on the calendar of the studio: not archived, begun, and not ended. Sorted by the latest start, then ' +
    'by id, descending. `updated_since` also returns policies whose start date has come since then.',
  purpose: 'Insurance policies that are active today: "Who insures us?", "Which policy ends next?"',
  tag: 'Policies',
  examples: { two_a_page: { summary: 'The first of several pages', request: '/policies?per_page=2' } },
  schema: listOf('PolicyList', policyListed),
  list: {
    view: 'service.policy_documents',
    order: { by: 'effective_start', direction: 'desc', key: 'date' },
    changedAt: 'changed_at',
    filters: {
      ends_before: {
        ...day('ends_before', 'Only policies that end before this day. Open-ended ones are left out.'),
        condition: 'r.effective_end < $',
      },
    },
    search: { view: 'service.policy_documents', by: ['ends_before'] },
  },
})

export const getPolicy = resourceOperation({
  id: 'get_policy',
  path: '/policies/{id}',
  summary: 'One policy, with its assignment count.',
  description: 'Any policy of the studio, including archived and expired ones.',
  purpose: 'One policy, also one that has ended or is archived, with the number of items that it declares.',
  tag: 'Policies',
  examples: {
    assigned: {
      summary: 'A policy with its number of assignments',
      request: '/policies/4f195464-6212-4991-8a46-1e8f2a20cacc',
    },
  },
  schema: singleOf('PolicyResponse', policyDetail),
})

const { declared_value, is_primary, effective_start, effective_end } = assignment.shape

/** An element of `GET /policies/{id}/items`: one assignment of an item to the policy. */
const policyItem = z
  .strictObject({
    item_id: id.describe('Id of the item; usable with `GET /items/{id}`.'),
    item_name: text.describe('Name of the item.'),
    ...{ declared_value, is_primary, effective_start, effective_end },
  })
  .describe('One item that a policy declares.')
  .register(components, { id: 'PolicyItem' })

export const listPolicyItems = listOperation({
  id: 'list_policy_items',
  path: '/policies/{id}/items',
  summary: 'List the items that a policy declares.',
  description:
    'Every assignment to any policy of the studio, including ended ones. The list leaves out archived items, ' +
    'so the total can be less than `assignments_count`. Sorted by item id, descending; an item has an element for each assignment. ' +
    '`updated_since` returns the assignments of items that have changed. When one is removed, its item changes: ' +
    'read `/items/{id}/policies` of it.',
  purpose: 'What one policy declares, and for how much: "What is on the touring policy?"',
  tag: 'Policies',
  examples: {
    two_a_page: {
      summary: 'The first of several pages',
      request: '/policies/4f195464-6212-4991-8a46-1e8f2a20cacc/items?per_page=2',
    },
  },
  schema: listOf('PolicyItemList', policyItem),
  list: {
    view: 'service.policy_item_documents',
    order: { by: 'item_id', direction: 'desc', key: 'uuid' },
    filters: {},
    within: { column: 'policy_id', view: 'api_v1.policies' },
  },
})
