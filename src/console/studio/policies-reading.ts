import type { ListSource } from '../../api/operation.ts'
import { listPolicies } from '../../api/policies.ts'
import { daysAfter } from '../../domain/dates.ts'
import { describeItems, type ListedItem } from './items-reading.ts'
import type { MemberReading } from './member-session.ts'
import { idsOnly, type NamedList, type Paged, readPage } from './paging.ts'

/** Amounts are decimals as text, days `YYYY-MM-DD`; null: not recorded. */
export type Policy = {
  id: string
  name: string
  carrier: string | null
  number: string | null
  type: string | null
  limit: string | null
  deductible: string | null
  perils: string[] | null
  locations: string | null
  start: string | null
  end: string | null
  archived: boolean
  active: boolean
}

/** Columns of api_v1.policies, which the statement calls p. */
const policyColumns = `p.id, p.name, p.carrier, p.policy_number as number, p.policy_type as type, p.overall_limit as limit,
  p.deductible, p.covered_perils as perils, p.location_constraints as locations, p.effective_start as start,
  p.effective_end as end, p.archived, p.active`

/** What is declared for a policy's items that are not archived. For `unknown` of them no amount is
 * recorded. */
export type Declared = { items: number; declared: string; unknown: number }

const declaredColumns = `count(*)::integer as items, coalesce(sum(a.declared_value), 0) as declared,
  (count(*) filter (where a.declared_value is null))::integer as unknown`

/** The list of the API, with ids in place of documents. It also has policies that are not active. */
const list: ListSource = {
  ...listPolicies.list,
  view: 'api_v1.policies',
  search: { view: 'api_v1.policies', by: [] },
  documents: idsOnly,
  orders: {
    ending: { by: 'effective_end', direction: 'asc' },
    latest: { by: 'effective_start', direction: 'desc nulls last' },
  },
  filters: { ...listPolicies.list.filters, active: { condition: 'r.active' }, other: { condition: 'not r.active' } },
}

/** How many days ahead the console announces the end of a policy. */
export const noticeOfPolicies = 60

/** The lists of policies, each with its filters. */
export const policyLists = {
  active: { label: 'Active', order: 'ending', filters: () => ({ active: 'true' }) },
  ending: {
    label: `Ending within ${noticeOfPolicies} days`,
    order: 'ending',
    filters: (today) => ({ active: 'true', ends_before: daysAfter(today, noticeOfPolicies + 1) }),
  },
  other: { label: 'Not active', order: 'latest', filters: () => ({ other: 'true' }) },
} as const satisfies Record<string, NamedList>

export type PolicyList = keyof typeof policyLists

/** Reads a page of a list, each policy with what is declared under it, and counts the list. */
export async function readPolicies(
  reading: MemberReading,
  name: PolicyList,
  paged: Paged,
): Promise<{ policies: (Policy & Declared)[]; total: number }> {
  const { order, filters } = policyLists[name]
  const { total, documents } = await readPage(reading, list, { ...filters(reading.today), order }, paged)
  const policies = await reading.queryWhole<Policy & Declared>(
    `with declared as (
       select a.policy_id, ${declaredColumns} from api_v1.assignments a
       join service.item_documents i on i.id = a.item_id
       where a.policy_id = any ($1::uuid[]) group by a.policy_id
     )
     select ${policyColumns}, coalesce(d.items, 0) as items, coalesce(d.declared, 0) as declared,
       coalesce(d.unknown, 0) as unknown
     from unnest($1::uuid[]) with ordinality as k (id, at)
     join api_v1.policies p on p.id = k.id
     left join declared d on d.policy_id = p.id
     order by k.at`,
    [documents.split(',').filter(Boolean)],
  )
  return { policies, total }
}

/** An item that is assigned to a policy. */
export type InsuredItem = Pick<ListedItem, 'id' | 'name' | 'category' | 'value'> & {
  declared: string | null
  primary: boolean
  from: string | null
  until: string | null
}

/** Reads any policy with a page of its items by name; undefined if it is not the studio's. */
export async function readPolicy(reading: MemberReading, id: string, { size, skip }: Paged) {
  const [policy] = await reading.query<Policy>(`select ${policyColumns} from api_v1.policies p where p.id = $1`, [id])
  if (policy === undefined) return undefined
  const [found] = await reading.queryWhole<Declared & { shown: Omit<InsuredItem, 'name' | 'category' | 'value'>[] }>(
    `with a as materialized (
       select a.item_id, a.declared_value, a.is_primary, a.effective_start, a.effective_end, i.name_key
       from api_v1.assignments a join service.searched_items i on i.id = a.item_id where a.policy_id = $1
     )
     select ${declaredColumns}, coalesce((select json_agg(s) from (
       select a.item_id as id, a.declared_value::text as declared, a.is_primary as primary, a.effective_start as from,
         a.effective_end as until
       from a order by a.name_key, a.item_id, a.effective_start limit $2 offset $3
     ) as s), '[]') as shown
     from a`,
    [id, size, skip],
  )
  const { shown = [], ...declared } = found ?? { items: 0, declared: '0.00', unknown: 0 }
  const ids = shown.map((each) => each.id)
  const described = await describeItems(reading, ids)
  const items = shown.flatMap((each, at) => (described[at] ? [{ ...described[at], ...each }] : []))
  return { policy: { ...policy, ...declared }, items }
}
