import { utc } from '../../database/client.ts'
import type { Transaction } from '../../database/session.ts'
import { CommandError } from '../failure.ts'

/** The subscription of a studio at this moment; timestamps are RFC 3339 in UTC. */
export type Subscription = {
  studio_id: string
  plan: string
  status: string
  trial_ends_at: string | null
  /** Of the period at this moment: one that renews has moved on from what was set. */
  current_period_start: string | null
  current_period_end: string | null
  renews: 'month' | 'year' | null
  archived: boolean
  /** Whether requests with the studio's tokens are served. */
  api_access: boolean
}

/** What is to change. Days are `YYYY-MM-DD` on the studio's calendar: the last one of a trial, the first one of a period and after it. */
export type Changes = {
  plan?: string
  status?: string
  trialEnds?: string
  period?: 'month' | 'year' | 'fixed'
  periodStart?: string
  periodEnd?: string
}

/** The subscription of a studio; undefined when it has none. */
export async function subscriptionOf(transaction: Transaction, studioId: string): Promise<Subscription | undefined> {
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

/**
 * Changes a subscription; what is not to change stays as it is at this moment, also when somebody else is changing it.
 *
 * @throws CommandError for a trial without an end, for half a period, and for one that ends before it begins
 */
export async function setSubscription(transaction: Transaction, studioId: string, changes: Changes): Promise<void> {
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
  // A new length begins today, unless the days are given.
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
