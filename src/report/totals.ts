import type { Transaction } from '../database/session.ts'
import { readSums, type Sums } from '../domain/sums.ts'
import { coverOn, dateLiteral, itemsOn, policyColumns, settled } from './cover.ts'
import type { Heading, Policy } from './heading.ts'
import type { Format } from './options.ts'

/** A policy with its sums. An item under several policies counts in each.
 * `left` is the limit less what is declared, negative above it; null without a limit. */
type PolicySums = Policy & { sums: Sums; left: string | null }

type LocationSums = Sums & {
  /** Its name after the names of the locations around it; empty for items without a location. */
  location: string
  /** The address of the location or of the nearest one around it; empty when none is recorded. */
  address: string
}

/** An item of which less is reported than it is worth. */
type Missing = {
  name: string
  serialNumber: string
  location: string
  replacementCost: string | null
  value: string
  reported: string
  missing: string
}

/** The reconciliation (IAS 16.73) of a financial year and a category; null: all categories. */
export type BookYear = {
  yearEnd: string
  category: string | null
  amounts: Readonly<Record<(typeof bookAmounts)[number], string>>
}

/** The columns of api_v1.depreciation_years, in the order of the reconciliation. */
export const bookAmounts = [
  'opening_cost',
  'additions',
  'disposed_cost',
  'closing_cost',
  'opening_accumulated',
  'charge',
  'disposed_accumulated',
  'closing_accumulated',
  'opening_value',
  'closing_value',
  'proceeds',
  'gain',
] as const

export type Totals = {
  all: Sums
  categories: Sums[]
  sources: Sums[]
  /** Each with the locations that are part of it. */
  locations: LocationSums[]
  policies: PolicySums[]
  /** Items under no policy; null: there are none. */
  uncovered: Sums | null
  /** The item that lacks the largest amount comes first. Empty for CSV. */
  missing: Missing[]
  /** Empty for CSV, and for a report about one policy. */
  books: BookYear[]
}

/** The studio's totals on a day. PostgreSQL sums them. */
export async function readTotals(transaction: Transaction, heading: Heading, format: Format): Promise<Totals> {
  const { total, groups } = await readSums(transaction.query, {
    day: heading.day === heading.today ? null : heading.day,
    by: ['category', 'value_source', 'location_with_sublocations', 'each_policy'],
    policyId: heading.policy?.id,
    withCover: true,
  })
  const covers = new Map(groups('each_policy').map((each) => [each.key, each]))
  const places = new Map(groups('location_with_sublocations').map((each) => [each.key, each]))
  const names =
    places.size > 1
      ? await transaction.query<{ id: string | null; location: string; address: string }>(placesStatement)
      : []
  const placed = [...names, { id: null, location: '', address: '' }].flatMap(({ id, location, address }) => {
    const each = places.get(id)
    return each === undefined ? [] : [{ ...each, location, address }]
  })
  const listed = format !== 'csv'
  return {
    all: total,
    categories: groups('category'),
    sources: groups('value_source'),
    locations: placed,
    policies: await readPolicies(transaction, heading, covers),
    uncovered: covers.get(null) ?? null,
    missing: listed ? await transaction.query<Missing>(missingStatement(heading)) : [],
    books: listed && heading.policy === null ? await readBooks(transaction, heading, format) : [],
  }
}

/** The locations in the order of their names, each before its parts. */
const placesStatement = 'select t.id, t.label as location, t.address from service.location_tree t order by t.path'

/** Reads the policies under which something is declared, by name, and adds the sums of each. */
async function readPolicies(
  { query }: Transaction,
  heading: Heading,
  sums: ReadonlyMap<string | null, Sums>,
): Promise<PolicySums[]> {
  const declared = [...sums.values()].filter(({ key }) => key !== null)
  const policies = await query<Omit<PolicySums, 'sums'>>(
    `select ${policyColumns(heading)}, ${settled('p.overall_limit - d.amount', heading)} as left
     from unnest($1::uuid[], $2::numeric[]) as d (id, amount) join api_v1.policies p on p.id = d.id
     order by p.name, p.id`,
    [declared.map(({ key }) => key), declared.map((each) => each.declared_under_policies)],
  )
  return policies.flatMap((policy) => {
    const of = sums.get(policy.id)
    return of === undefined ? [] : [{ ...policy, sums: of }]
  })
}

const missingStatement = (heading: Heading) => `
    with cover as materialized (${coverOn(heading)})
    select i.name, i.serial_number as "serialNumber", coalesce(l.name, '') as location,
      i.replacement_cost as "replacementCost", i.current_estimated_value as value,
      i.reported_insured_value as reported, i.gap_amount as missing
    from ${itemsOn(heading)} i
    left join api_v1.locations l on l.id = i.location_id
    where i.coverage_state in ('under_covered', 'uninsured') and i.gap_amount > 0
    order by i.gap_amount desc, i.name, i.id`

/** Reads the financial years up to that of the day. A PDF shows only that year and the one before. */
async function readBooks(transaction: Transaction, { day }: Heading, format: Format): Promise<BookYear[]> {
  const sums = bookAmounts.map((amount) => `'${amount}', sum(y.${amount})::text`)
  return transaction.query<BookYear>(`
    select y.year_end as "yearEnd", y.category, json_build_object(${sums.join(', ')}) as amounts
    from api_v1.depreciation_years y
    where y.year_start <= ${dateLiteral(day)} and (y.opening_cost, y.additions) <> (0, 0)
      ${format === 'pdf' ? `and y.year_end >= ${dateLiteral(day)} - interval '1 year'` : ''}
    group by grouping sets ((y.year_end, y.category), (y.year_end))
    order by y.year_end, y.category nulls last`)
}
