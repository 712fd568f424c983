import { type Command, Option } from 'commander'
import { utc } from '../database/client.ts'
import type { Transaction } from '../database/session.ts'
import { command, day, jsonOption, onDatabase } from './command.ts'
import { CommandError } from './failure.ts'
import { print, printDone, printJson, readable } from './output.ts'
import type { Context } from './session.ts'

type Options = Changes & { json: boolean }

export function studioPlanCommand(context: Context): Command {
  return command('plan')
    .description('Show the plan of a studio, or set it. It takes effect with the next request.')
    .argument('<studio>', 'its name or id')
    .addOption(new Option('--plan <plan>', 'the plan').choices(['pro', 'pro_insure', 'studio']))
    .addOption(new Option('--status <status>', 'its status').choices(['trialing', 'active', 'past_due', 'canceled']))
    .option('--trial-ends <day>', "the last day of a trial, on the studio's calendar", day)
    .addOption(
      new Option(
        '--period <length>',
        'month or year: renews automatically while active; fixed: you set each period',
      ).choices(['month', 'year', 'fixed']),
    )
    .option('--period-start <day>', 'the first day of the billing period', day)
    .option('--period-end <day>', 'the first day after the billing period', day)
    .addOption(jsonOption())
    .notes(`
What is not given stays. A canceled or past-due plan includes the API until its period ends, a trial until its last day
has passed. A billing system sets the same in SQL: docs/operating.md.

Examples:
  studio-inventory studio plan "Northlight Studios"
  studio-inventory studio plan "Northlight Studios" --plan pro --status trialing --trial-ends 2027-01-31
  studio-inventory studio plan "Northlight Studios" --status active --period year
  studio-inventory studio plan "Northlight Studios" --status canceled`)
    .action(
      onDatabase(context, async ({ inStudio }, studio: string, { json, ...changes }: Options) => {
        const isChange = Object.keys(changes).length > 0
        const plan = await inStudio(studio, async (open) => {
          if (isChange) await setSubscription(open, open.id, changes)
          return subscriptionOf(open, open.id)
        })
        if (json) return printJson(plan)
        if (plan === undefined) return print('The studio has no plan.')
        const line = describe(plan)
        isChange ? printDone(line) : print(line)
      }),
    )
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

/** A studio's current subscription. Timestamps are RFC 3339 in UTC. */
type Subscription = {
  studio_id: string
  plan: string
  status: string
  trial_ends_at: string | null
  /** The period that contains today. The one that was set may be over, if the subscription
   * renews. */
  current_period_start: string | null
  current_period_end: string | null
  renews: 'month' | 'year' | null
  archived: boolean
  /** Whether the API serves the studio's tokens. */
  api_access: boolean
}

/** Days are `YYYY-MM-DD` on the studio's calendar: a trial's last; a period's first and end. */
type Changes = {
  plan?: string
  status?: string
  trialEnds?: string
  period?: 'month' | 'year' | 'fixed'
  periodStart?: string
  periodEnd?: string
}

/** The subscription of a studio; undefined when it has none. */
async function subscriptionOf(transaction: Transaction, studioId: string): Promise<Subscription | undefined> {
  const [row] = await transaction.query<Subscription>(
    `select s.studio_id, s.plan, s.status, ${utc('s.trial_ends_at')} as trial_ends_at,
       ${utc('p.period_start')} as current_period_start, ${utc('p.period_end')} as current_period_end, s.renews,
       s.archived_at is not null as archived, access.api_plan(s) is not null as api_access
     from access.subscriptions s join app.studios studio on studio.id = s.studio_id,
       access.current_period(s, studio.timezone) as p
     where s.studio_id = $1`,
    [studioId],
  )
  return row
}

/** Changes a subscription and keeps the rest, even when somebody else changes it at the same time.
 * @throws CommandError for a trial without an end, half a period, or one that ends before it begins */
async function setSubscription(transaction: Transaction, studioId: string, changes: Changes): Promise<void> {
  await transaction.query('select from access.subscriptions where studio_id = $1 for no key update', [studioId])
  const now = await subscriptionOf(transaction, studioId)
  const status = changes.status ?? now?.status ?? 'active'
  const plan = changes.plan ?? now?.plan
  if (plan === undefined) throw new CommandError('the studio has no plan', 'Name one with --plan.')
  if (status === 'trialing' && changes.trialEnds === undefined && now?.trial_ends_at == null) {
    throw new CommandError('a trial needs an end', 'Give its last day with --trial-ends.')
  }
  if ((changes.periodStart === undefined) !== (changes.periodEnd === undefined)) {
    throw new CommandError('a period needs both of its days', 'Give --period-start and --period-end.')
  }
  if (
    changes.periodStart !== undefined &&
    changes.periodEnd !== undefined &&
    changes.periodEnd <= changes.periodStart
  ) {
    throw new CommandError('a period ends after it begins', '--period-end is the first day after it.')
  }
  const isNewLength = changes.period === 'month' || changes.period === 'year'
  const renews = isNewLength ? changes.period : changes.period === 'fixed' ? null : (now?.renews ?? null)
  // A new interval begins today unless the days are given.
  const [start, end] = isNewLength ? [null, null] : [now?.current_period_start, now?.current_period_end]
  await transaction.query(
    `select access.set_subscription(s.id, $2, $3,
       coalesce(access.end_of_day(s.id, $4::date), $5::timestamptz),
       coalesce(access.first_moment($6::date, s.timezone), $7::timestamptz),
       coalesce(access.first_moment($8::date, s.timezone), $9::timestamptz), $10)
     from app.studios s where s.id = $1`,
    [
      ...[studioId, plan, status, changes.trialEnds ?? null, now?.trial_ends_at ?? null],
      ...[changes.periodStart ?? null, start ?? null, changes.periodEnd ?? null, end ?? null, renews],
    ],
  )
}
