import { z } from 'zod'
import { components, count, singleOf, text, timestamp } from './fields.ts'
import { resourceOperation } from './operation.ts'

const planTiers = ['pro', 'pro_insure', 'studio'] as const

const planTier = z
  .enum(planTiers)
  .describe('The plan that the studio is subscribed to. `pro_insure` is Pro + Insure.')
  .register(components, { id: 'PlanTier' })

export const account = z
  .strictObject({
    name: text.describe('Name of the studio.'),
    plan_tier: planTier,
    is_trial: z.boolean().describe('Whether the plan is a trial.'),
    trial_ends_at: timestamp.nullable().describe('When the trial ends. Null when it is not a trial.'),
    current_period_start: timestamp
      .nullable()
      .describe('Start of the current billing period. Null when there is none.'),
    current_period_end: timestamp.nullable().describe('End of the current billing period. Null when there is none.'),
    item_count: count.describe('Items that are not archived.'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/)
      .describe('ISO 4217 code of every money amount.'),
    timezone: text.describe('IANA name; the day on which a policy is active is determined in it.'),
  })
  .describe('The studio that the token reads: its plan, billing period and item count.')
  .register(components, { id: 'Account' })

export const getAccount = resourceOperation({
  id: 'get_account',
  path: '/account',
  summary: 'Plan tier, current billing period and item count.',
  description: 'The studio that the token reads, its plan and its billing period.',
  purpose: "The studio's name, plan, number of items, time zone, and the currency of all amounts.",
  tag: 'Account',
  examples: { studio: { summary: 'A studio on the Studio plan', request: '/account' } },
  schema: singleOf('AccountResponse', account),
})
