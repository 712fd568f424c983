import { inTransaction, type Transaction, utc } from '../database/client.ts'
import type { LoginUrl } from '../database/roles.ts'
import { enterStudio } from '../database/session.ts'
import { coverOn, dateLiteral, declaredByItem, itemsOn, policyColumns, settled } from './cover.ts'
import type { Heading, Policy, ScheduleRequest } from './heading.ts'
import { PolicyRefused, requireDay } from './options.ts'
import { readTotals, type Totals } from './totals.ts'

/** A policy under which an item was declared on the day. */
export type ItemPolicy = { name: string; number: string | null; declared: string | null; archived: boolean }

/** One line. Amounts are decimals as text with the currency's places, or null when not known. */
export type Item = {
  id: string
  name: string
  manufacturer: string
  model: string
  serialNumber: string
  barcode: string
  category: string
  /** The item's location and the one around it; empty when none is set or the plan hides it. */
  location: string
  acquired: string | null
  purchasePrice: string | null
  value: string | null
  source: string | null
  /** What the studio reports as insured, and what it declares under policies. A missing value counts
   * as 0. */
  reported: string
  underPolicies: string
  /** `underPolicies` less `reported`. */
  difference: string
  gap: string | null
  bookValue: string | null
  replacementCost: string | null
  /** The studio's own key; empty when not recorded. */
  key: string
  coverage: string | null
  policies: ItemPolicy[]
  /** The storage key of the first photo; null: none. */
  photoKey: string | null
  photos: number
}

/** One studio's schedule on one day: totals, then items by category and name, in batches. */
export type Schedule = { heading: Heading; totals: Totals; batches: AsyncIterable<Item[]> }

const batchSize = 100

/** Reads a schedule in one transaction, so that totals and items agree.
 * @param url the connection string of studio_api
 * @throws for a text that is no day or names no policy of it; what `work` or the database throws */
export function withSchedule<Result>(
  { url, studioId, ...request }: ScheduleRequest & { url: LoginUrl },
  work: (schedule: Schedule) => Promise<Result>,
): Promise<Result> {
  if (request.day !== null) requireDay(request.day)
  return withStudioReader(url, studioId, async (transaction) => {
    const heading = await readHeading(transaction, request)
    return work({
      heading,
      totals: await readTotals(transaction, heading, request.format),
      batches: readItems(transaction, heading),
    })
  })
}

async function readHeading(
  transaction: Transaction,
  { day, policy: named, preparedFor = '' }: Omit<ScheduleRequest, 'studioId'>,
): Promise<Heading> {
  const [heading] = await transaction.query<Omit<Heading, 'policy' | 'preparedFor'>>(
    `select a.name as studio, a.currency, access.current_studio_today()::text as today,
       coalesce($1::date, access.current_studio_today())::text as day,
       ${utc('access.clock()')} as "madeAt"
     from api_v1.account a`,
    [day],
  )
  if (heading === undefined) throw new Error('there is no such studio')
  const policy = named === undefined ? null : await readPolicy(transaction, named, heading)
  return { ...heading, policy, preparedFor }
}

/** @throws PolicyRefused when no policy or several have the name, or the policy is not in force on
 * the day */
async function readPolicy(
  transaction: Transaction,
  named: string,
  heading: Omit<Heading, 'policy' | 'preparedFor'>,
): Promise<Policy> {
  const found = await transaction.query<Policy & { inForce: boolean }>(
    `select ${policyColumns(heading)},
       service.is_in_force(p.effective_start, p.effective_end, p.archived, ${dateLiteral(heading.day)}) as "inForce"
     from api_v1.policies p
     where p.id::text = lower($1) or p.policy_number = $1 or lower(p.name) = lower($1)
     order by "inForce" desc, p.effective_start, p.id`,
    [named],
  )
  const [policy, another] = found
  if (policy === undefined) throw new PolicyRefused(`there is no policy '${named}': give its id, number or name`)
  if (!policy.inForce) {
    const dates = `from ${policy.starts ?? 'no recorded day'} to ${policy.ends ?? 'no recorded day'}`
    const state = policy.archived ? ', and is archived' : ''
    throw new PolicyRefused(`the policy '${policy.name}' is not in force on ${heading.day}: it is ${dates}${state}`)
  }
  if (another?.inForce) {
    throw new PolicyRefused(
      `several policies in force are named '${named}': give one of the ids ${found
        .filter(({ inForce: valid }) => valid)
        .map(({ id }) => id)
        .join(', ')}`,
    )
  }
  return policy
}

async function* readItems(transaction: Transaction, heading: Heading): AsyncGenerator<Item[]> {
  // PostgreSQL guesses that few items have policies and photos. A nested loop would compare every
  // item with all of those that do: a minute for 100,000 items.
  await transaction.query('set local enable_nestloop = off')
  await transaction.query(`declare schedule no scroll cursor for ${itemsStatement(heading)}`)
  for (;;) {
    const rows = await transaction.query<Item>(`fetch ${batchSize} from schedule`)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
  }
}

/** The lines of the schedule, by category and name. */
function itemsStatement(day: Heading): string {
  return `
    with cover as materialized (${coverOn(day)}), ${declaredByItem},
    photos as materialized (
      select p.item_id, (array_agg(p.storage_key order by p.position, p.id))[1] as key, count(*)::integer as photos
      from service.item_photos p group by p.item_id
    )
    select i.id, i.name, i.manufacturer, i.model, i.serial_number as "serialNumber", i.barcode, i.category,
      case when above.name is null then coalesce(l.name, '') else above.name || ' › ' || l.name end as location,
      i.acquisition_date as acquired, i.purchase_price as "purchasePrice", i.current_estimated_value as value,
      i.value_source as source, i.reported_insured_value as reported, i.gap_amount as gap, i.coverage_state as coverage,
      i.book_value as "bookValue", i.replacement_cost as "replacementCost", coalesce(i.external_key, '') as key,
      ${settled('coalesce(d.amount, 0)', day)} as "underPolicies",
      ${settled('coalesce(d.amount, 0) - i.reported_insured_value', day)} as difference,
      coalesce(d.policies, '[]') as policies, f.key as "photoKey", coalesce(f.photos, 0) as photos
    from ${itemsOn(day)} i
    left join api_v1.locations l on l.id = i.location_id
    left join api_v1.locations above on above.id = l.parent_id
    left join declared d on d.item_id = i.id
    left join photos f on f.item_id = i.id
    order by i.category, i.name, i.id`
}

/** studio_api is set up to read pages of a list by an index. Sums need PostgreSQL's own settings. */
export const plannerDefaults = {
  enable_seqscan: 'on',
  enable_sort: 'on',
  enable_bitmapscan: 'on',
  plan_cache_mode: 'auto',
}

const longRead = { ...plannerDefaults, statement_timeout: '60s', idle_in_transaction_session_timeout: '60s' }

/** Runs `work` in a read-only transaction on a snapshot of one studio. Row-level security trusts
 * the login of `url` to name its studio; the login reads `api_v1`. */
export function withStudioReader<Result>(
  url: LoginUrl,
  studioId: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set transaction isolation level repeatable read, read only')
    for (const [name, value] of Object.entries(longRead)) await transaction.query(`set local ${name} = '${value}'`)
    await enterStudio(transaction, studioId)
    return work(transaction)
  })
}
