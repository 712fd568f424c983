import { z } from 'zod'
import { policyTypes } from '../domain/vocabulary.ts'
import { components, count, date, id, money, text } from './fields.ts'

const policyType = z
  .enum(policyTypes)
  .describe('A recognised type of policy.')
  .register(components, { id: 'PolicyType' })

const listFields = {
  id: id.describe('Unique policy id.'),
  name: text.describe('What the studio calls it.'),
  carrier: text.nullable().describe('The insurer. Null when not recorded.'),
  policy_number: text.nullable().describe('The number that the insurer gave it. Null when not recorded.'),
  policy_type: policyType.nullable().describe('Null when the stored value is not a recognised type.'),
  overall_limit: money.nullable().describe('The most that the policy pays in all. Null when not set.'),
  deductible: money.nullable().describe('What the studio bears of a loss itself. Null when not set.'),
  covered_perils: z
    .array(text)
    .nullable()
    .describe('What it covers, such as fire or theft, in words of the studio. Null when not recorded.'),
  location_constraints: text.nullable().describe('Where it is valid, in free text; null when not set.'),
  effective_start: date.nullable().describe('When coverage begins; null when not set.'),
  effective_end: date.nullable().describe('The last day of coverage. Null for an open-ended policy.'),
  archived: z.boolean().describe('Always false in the list; the detail shows any policy of the studio.'),
}

/** An element of `GET /policies`: active policies only, so never an archived one. */
export const policyListed = z
  .strictObject(listFields)
  .describe('An insurance policy, as the list shows it.')
  .register(components, { id: 'PolicySummary' })

/** `GET /policies/{id}`. */
export const policyDetail = z
  .strictObject({
    ...listFields,
    assignments_count: count.describe(
      'All equipment assignments to the policy, whatever their window. 0 when they cannot be counted.',
    ),
  })
  .describe('An insurance policy with the number of its assignments.')
  .register(components, { id: 'Policy' })
