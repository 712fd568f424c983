import type { MemberReading } from './member-session.ts'
import { noticeDays } from './overview-reading.ts'
import type { Paged } from './paging.ts'

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

/** The lists of policies, each with its condition; $1 is today. */
export const policyLists = {
  active: { label: 'Active', condition: 'p.active', order: 'p.effective_end asc nulls last' },
  ending: {
    label: `Ending within ${noticeDays.policies} days`,
    condition: `p.active and p.effective_end <= $1::date + ${noticeDays.policies}`,
    order: 'p.effective_end',
  },
  other: { label: 'Not active', condition: 'not p.active', order: 'p.archived, p.effective_start desc nulls last' },
} as const

export type PolicyList = keyof typeof policyLists

/** Reads a page of a list, each policy with what is declared under it, and counts the list. */
export async function readPolicies(
  { query, queryWhole, today }: MemberReading,
  list: PolicyList,
  { size, skip }: Paged,
): Promise<{ policies: (Policy & Declared)[]; total: number }> {
  const { condition, order } = policyLists[list]
  const [counted] = await query<{ total: number }>(
    `select count(*)::integer as total from api_v1.policies p where $1::date is not null and ${condition}`,
    [today],
  )
  const policies = await queryWhole<Policy & Declared>(
    `with shown as materialized (
       select ${policyColumns}, row_number() over (order by ${order}, p.id) as position
       from api_v1.policies p where $1::date is not null and ${condition}
       order by ${order}, p.id limit $2 offset $3
     ), declared as (
       select a.policy_id, ${declaredColumns} from api_v1.assignments a
       join service.item_documents i on i.id = a.item_id
       where a.policy_id in (select s.id from shown s) group by a.policy_id
     )
     select s.*, coalesce(d.items, 0) as items, coalesce(d.declared, 0) as declared,
       coalesce(d.unknown, 0) as unknown
     from shown s left join declared d on d.policy_id = s.id order by s.position`,
    [today, size, skip],
  )
  return { policies, total: counted?.total ?? 0 }
}

/** An item that is assigned to a policy. */
export type InsuredItem = {
  id: string
  name: string
  category: string
  value: string | null
  declared: string | null
  primary: boolean
  from: string | null
  until: string | null
}

/** Reads any policy with a page of its items by name; undefined if it is not the studio's. */
export async function readPolicy({ query, queryWhole }: MemberReading, id: string, { size, skip }: Paged) {
  const [policy] = await query<Policy>(`select ${policyColumns} from api_v1.policies p where p.id = $1`, [id])
  if (policy === undefined) return undefined
  const [declared] = await queryWhole<Declared>(
    `select ${declaredColumns} from api_v1.assignments a
     join service.item_documents i on i.id = a.item_id where a.policy_id = $1`,
    [id],
  )
  const items = await queryWhole<InsuredItem>(
    `select shown.*, v.current_estimated_value as value from (
       select i.id, i.name, i.category, a.declared_value as declared, a.is_primary as primary, a.effective_start as from,
         a.effective_end as until
       from api_v1.assignments a join service.item_documents i on i.id = a.item_id
       where a.policy_id = $1 order by lower(i.name), i.id, a.effective_start limit $2 offset $3
     ) as shown
     left join lateral (
       select v.current_estimated_value from service.item_valuations v where v.item_id = shown.id
     ) as v on true
     order by lower(shown.name), shown.id, shown.from`,
    [id, size, skip],
  )
  return { policy: { ...policy, ...(declared ?? { items: 0, declared: '0.00', unknown: 0 }) }, items }
}
