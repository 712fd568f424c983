import { utc } from '../database/client.ts'
import { type Transaction, withStudioReader } from '../database/session.ts'
import { minorUnits } from '../domain/vocabulary.ts'
import { requireDay } from './options.ts'

/** The heading of a report. Dates are `YYYY-MM-DD`. */
export type Heading = {
  studio: string
  day: string
  /** Today on the studio's own calendar. */
  today: string
  /** ISO 4217; applies to every amount. */
  currency: string
  /** When it was made, RFC 3339 in UTC, with milliseconds. */
  madeAt: string
}

/** A policy under which an item was declared on the day. */
export type ItemPolicy = { name: string; number: string | null; declared: string | null; archived: boolean }

/** One line of the schedule. Amounts are decimals with the currency's places as text, null when not known. */
export type Item = {
  id: string
  name: string
  manufacturer: string
  model: string
  serialNumber: string
  barcode: string
  category: string
  /** With its parent location; empty when none is set or the plan hides it. */
  location: string
  acquired: string | null
  purchasePrice: string | null
  value: string | null
  source: string | null
  /** What the studio reports as insured, and what its policies declare; missing values count 0. */
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
 * @param day `YYYY-MM-DD`; null for today on the studio's calendar
 * @throws for a text that is not a day, and what `work` or the database throws */
export function withSchedule<Result>(
  { url, studioId, day }: { url: string; studioId: string; day: string | null },
  work: (schedule: Schedule) => Promise<Result>,
): Promise<Result> {
  if (day !== null) requireDay(day)
  return withStudioReader(url, studioId, async (transaction) => {
    const heading = await readHeading(transaction, day)
    return work({
      heading,
      totals: await readTotals(transaction, heading),
      batches: readItems(transaction, heading),
    })
  })
}

async function readHeading(transaction: Transaction, day: string | null): Promise<Heading> {
  const [heading] = await transaction.query<Heading>(
    `select a.name as studio, a.currency, access.current_studio_today()::text as today,
       coalesce($1::date, access.current_studio_today())::text as day,
       ${utc('access.clock()')} as "madeAt"
     from api_v1.account a`,
    [day],
  )
  if (heading === undefined) throw new Error('there is no such studio')
  return heading
}

async function* readItems(transaction: Transaction, heading: Heading): AsyncGenerator<Item[]> {
  await transaction.query(`declare schedule no scroll cursor for ${itemsStatement(heading)}`)
  for (;;) {
    const rows = await transaction.query<Item>(`fetch ${batchSize} from schedule`)
    if (rows.length > 0) yield rows
    if (rows.length < batchSize) return
  }
}

/** Amounts are decimals as text. `value` - `reported` = `under` + `notDeclared` - `over`. */
export type Sums = {
  items: number
  purchasePrice: string
  /** Of the items with a value: it, and what is reported as insured for them. */
  valued: number
  value: string
  reported: string
  /** The missing amounts of partly reported items, of unreported ones, and the others' surplus. */
  under: string
  notDeclared: string
  over: string
  /** Items without a value, and what is reported for them. */
  unvalued: number
  unvaluedReported: string
  /** What policies declare for all items; an amount that is not recorded adds nothing. */
  underPolicies: string
}

type CategorySums = Sums & { category: string }

/** What was declared under a policy. An item under several policies counts in each. */
export type PolicySums = {
  name: string
  number: string | null
  carrier: string | null
  archived: boolean
  items: number
  unvalued: number
  value: string
  /** The sum of the declared amounts; `undeclared` items have none. */
  declared: string
  undeclared: number
}

export type Totals = {
  all: Sums
  categories: CategorySums[]
  policies: PolicySums[]
  /** Items under no policy. */
  uncovered: { items: number; unvalued: number; value: string }
}

/** An amount with the decimals of the currency: a sum of none has them, too. */
const settled = (amount: string, { currency }: Heading) => `round(${amount}, ${minorUnits(currency)})`

const states = { under: "'under_covered'", none: "'uninsured'", over: "'fully_covered'" } as const

/** The studio's totals on a day, by category and by policy. PostgreSQL sums them. */
async function readTotals(transaction: Transaction, heading: Heading): Promise<Totals> {
  const sum = (column: string, condition = 'true') =>
    settled(`coalesce(sum(${column}) filter (where ${condition}), 0)`, heading)
  const [has, lacks] = ['i.current_estimated_value is not null', 'i.current_estimated_value is null']
  const sums = await transaction.query<Sums & { category: string | null }>(`
    with cover as materialized (${coverOn(heading)}), ${declaredByItem}
    select i.category, count(*)::integer as items, ${sum('i.purchase_price')} as "purchasePrice",
      (count(*) filter (where ${has}))::integer as valued, ${sum('i.current_estimated_value')} as value,
      ${sum('i.reported_insured_value', has)} as reported,
      ${sum('i.gap_amount', `i.coverage_state = ${states.under}`)} as under,
      ${sum('i.gap_amount', `i.coverage_state = ${states.none}`)} as "notDeclared",
      ${sum('-i.gap_amount', `i.coverage_state = ${states.over}`)} as over,
      (count(*) filter (where ${lacks}))::integer as unvalued,
      ${sum('i.reported_insured_value', lacks)} as "unvaluedReported", ${sum('d.amount')} as "underPolicies"
    from ${itemsOn(heading)} i
    left join declared d on d.item_id = i.id
    group by grouping sets ((i.category), ())
    order by i.category`)
  const all = sums.find(({ category }) => category === null)
  if (all === undefined) throw new Error('no totals')
  const policies = await transaction.query<PolicySums & { uncovered: boolean }>(`
    with cover as materialized (${coverOn(heading)})
    select c.policy_id is null as uncovered, c.name, c.policy_number as number, c.carrier, c.archived,
      count(*)::integer as items, (count(*) filter (where i.current_estimated_value is null))::integer as unvalued,
      ${sum('i.current_estimated_value')} as value, ${sum('c.declared_value')} as declared,
      (count(*) filter (where c.declared_value is null))::integer as undeclared
    from ${itemsOn(heading)} i
    left join cover c on c.item_id = i.id
    group by c.policy_id, c.name, c.policy_number, c.carrier, c.archived
    order by c.name, c.policy_id`)
  const uncovered = policies.find((policy) => policy.uncovered)
  return {
    all,
    categories: sums.filter((each): each is CategorySums => each.category !== null),
    policies: policies.filter((policy) => !policy.uncovered),
    uncovered: uncovered ?? { items: 0, unvalued: 0, value: (0).toFixed(minorUnits(heading.currency)) },
  }
}

/** A cursor's statement takes no parameters, so the checked day goes into its text. */
const dateLiteral = (day: string) => `date '${day}'`

type Day = Pick<Heading, 'day' | 'today'>

/** The studio's items: today as the API shows them, else as at the end of the day. */
const itemsOn = ({ day, today }: Day) => (day === today ? 'api_v1.items' : `api_v1.items_on(${dateLiteral(day)})`)

/** The cover of items on a day: assignments and policies whose dates include it. From today on,
 * omits archived policies; earlier reports mark them, as nothing says when they were archived. */
function coverOn({ day, today }: Day): string {
  const on = dateLiteral(day)
  return `
    select a.item_id, a.declared_value, a.is_primary, p.id as policy_id, p.name, p.policy_number, p.carrier, p.archived
    from api_v1.assignments a
    join api_v1.policies p on p.id = a.policy_id
    where coalesce(a.effective_start, '-infinity') <= ${on} and coalesce(a.effective_end, 'infinity') >= ${on}
      and p.effective_start <= ${on} and coalesce(p.effective_end, 'infinity') >= ${on}
      and (not p.archived or ${on} < ${dateLiteral(today)})`
}

const declaredByItem = `
    declared as materialized (
      select c.item_id, sum(c.declared_value) as amount, json_agg(json_build_object('name', c.name, 'number', c.policy_number,
        'declared', c.declared_value::text, 'archived', c.archived) order by c.is_primary desc, c.name, c.policy_id) as policies
      from cover c group by c.item_id
    )`

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
