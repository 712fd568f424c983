import { type Command, InvalidArgumentError, Option } from 'commander'
import { isDay } from '../../domain/dates.ts'
import { command, jsonOption } from '../command.ts'
import { print, printDone, printJson, readable } from '../output.ts'
import type { Context } from '../session.ts'
import type { Subscription } from './subscription.ts'

type Options = {
  plan?: string
  status?: string
  trialEnds?: string
  period?: 'month' | 'year' | 'fixed'
  periodStart?: string
  periodEnd?: string
  json: boolean
}

/** `studio plan`: shows the plan of a studio, or sets it. */
export function studioPlanCommand(context: Context): Command {
  return command('plan')
    .description('Show the plan of a studio, or set it. It takes effect with the next request.')
    .argument('<studio>', 'its name or id')
    .addOption(new Option('--plan <plan>', 'the plan').choices(['pro', 'pro_insure', 'studio']))
    .addOption(new Option('--status <status>', 'its status').choices(['trialing', 'active', 'past_due', 'canceled']))
    .option('--trial-ends <day>', "the last day of a trial, on the studio's calendar", day)
    .addOption(
      new Option('--period <length>', 'month or year: renews by itself while active; fixed: is set each time').choices([
        'month',
        'year',
        'fixed',
      ]),
    )
    .option('--period-start <day>', 'the first day of the billing period', day)
    .option('--period-end <day>', 'the first day after the billing period', day)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
What is not given stays. A canceled or past-due plan includes the API until its period ends, a trial until its last day
has passed. A billing system sets the same in SQL: docs/operating.md.

Examples:
  studio-inventory studio plan "Northlight Studios"
  studio-inventory studio plan "Northlight Studios" --plan pro --status trialing --trial-ends 2027-01-31
  studio-inventory studio plan "Northlight Studios" --status active --period year
  studio-inventory studio plan "Northlight Studios" --status canceled`,
    )
    .action(async (studio: string, { json, ...changes }: Options) => {
      const { withDatabase } = await import('../session.ts')
      const { asOwner } = await import('../../database/session.ts')
      const { findStudio } = await import('../lookup.ts')
      const { setSubscription, subscriptionOf } = await import('./subscription.ts')
      await withDatabase(context, async ({ database }) => {
        const isChange = Object.keys(changes).length > 0
        const plan = await asOwner(database.adminUrl, async (transaction) => {
          const id = await findStudio(transaction, studio)
          if (isChange) await setSubscription(transaction, id, changes)
          return subscriptionOf(transaction, id)
        })
        if (json) return printJson(plan)
        if (plan === undefined) return print('The studio has no plan.')
        const line = describe(plan)
        isChange ? printDone(line) : print(line)
      })
    })
}

function day(text: string): string {
  if (!isDay(text)) throw new InvalidArgumentError('Write a day such as 2027-01-31.')
  return text
}

function describe(plan: Subscription): string {
  const { current_period_start: start, current_period_end: end, renews } = plan
  return [
    `${plan.plan}, ${plan.status}`,
    plan.status === 'trialing' && `until ${readable(plan.trial_ends_at)}`,
    start !== null && `period from ${readable(start)}`,
    end !== null && `${start === null ? 'period ' : ''}to ${readable(end)}`,
    renews !== null && plan.status === 'active' && `renews each ${renews}`,
    plan.archived && 'archived',
    !plan.api_access && 'the API is refused',
  ]
    .filter(Boolean)
    .join(', ')
}
