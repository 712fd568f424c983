import type { ListSource } from '../../api/operation.ts'
import { listPolicies } from '../../api/policies.ts'
import { daysAfter } from '../../domain/dates.ts'
import { readSums, type Sums } from '../../domain/sums.ts'
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

/** What is declared under a policy today. For `unknown` of the items no amount is recorded;
 * `repeated` ones have several assignments today, whose amounts are added. */
export type Declared = { items: number; declared: string; unknown: number; repeated: number }

const declaredOf = (sums: Sums | undefined): Declared => ({
  items: sums?.items ?? 0,
  declared: sums?.declared_under_policies ?? '0',
  unknown: sums?.without_amount_items ?? 0,
  repeated: sums?.repeated_items ?? 0,
})

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

/** Counts a list, and reads the ids of a page of it. */
export function findPolicies(reading: MemberReading, name: PolicyList, paged: Paged) {
  const { order, filters } = policyLists[name]
  return readPage(reading, list, { ...filters(reading.today), order }, paged)
}

/** Reads a page of a list, each policy with what is declared under it, and counts the list. */
export async function readPolicies(
  reading: MemberReading,
  name: PolicyList,
  paged: Paged,
): Promise<{ policies: (Policy & Declared)[]; total: number }> {
  const { total, documents } = await findPolicies(reading, name, paged)
  const policies = await reading.queryWhole<Policy>(
    `select ${policyColumns} from unnest($1::uuid[]) with ordinality as k (id, at)
     join api_v1.policies p on p.id = k.id order by k.at`,
    [documents.split(',').filter(Boolean)],
  )
  const sums = policies.some(({ active }) => active)
    ? (await readSums(reading.query, { day: null, by: ['each_policy'], withCover: true })).groups('each_policy')
    : []
  const each = new Map(sums.map((group) => [group.key, group]))
  return { policies: policies.map((policy) => ({ ...policy, ...declaredOf(each.get(policy.id)) })), total }
}

/** An item that is assigned to a policy. */
export type InsuredItem = Pick<ListedItem, 'id' | 'name' | 'category' | 'value'> & {
  declared: string | null
  primary: boolean
  from: string | null
  until: string | null
}

/** Reads any policy with a page of its assignments by the items' names, whatever their dates;
 * undefined if it is not the studio's. */
export async function readPolicy(reading: MemberReading, id: string, { size, skip }: Paged) {
  const [policy] = await reading.query<Policy>(`select ${policyColumns} from api_v1.policies p where p.id = $1`, [id])
  if (policy === undefined) return undefined
  const { total } = await readSums(reading.query, { day: null, by: [], policyId: id, withCover: true })
  const [found] = await reading.queryWhole<{
    assigned: number
    shown: Omit<InsuredItem, 'name' | 'category' | 'value'>[]
  }>(
    `with a as materialized (
       select a.item_id, a.declared_value, a.is_primary, a.effective_start, a.effective_end, i.name_key
       from api_v1.assignments a join service.searched_items i on i.id = a.item_id where a.policy_id = $1
     )
     select count(*)::integer as assigned, coalesce((select json_agg(s) from (
       select a.item_id as id, a.declared_value::text as declared, a.is_primary as primary, a.effective_start as from,
         a.effective_end as until
       from a order by a.name_key, a.item_id, a.effective_start limit $2 offset $3
     ) as s), '[]') as shown
     from a`,
    [id, size, skip],
  )
  const { assigned = 0, shown = [] } = found ?? {}
  const ids = shown.map((each) => each.id)
  const described = await describeItems(reading, ids)
  const items = shown.flatMap((each, at) => (described[at] ? [{ ...described[at], ...each }] : []))
  return { policy: { ...policy, ...declaredOf(total) }, items, assigned }
}
