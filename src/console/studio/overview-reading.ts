import type { MemberReading } from './member-session.ts'

/** Sums over items. Amounts are decimals as text; `value` is of the items that have one. */
export type Sums = {
  items: number
  value: string
  /** What is declared for the items with a value. */
  declared: string
  under: string
  underItems: number
  notDeclared: string
  notDeclaredItems: number
  over: string
  unvalued: number
  /** What is declared for the items without a value. */
  unvaluedDeclared: string
}

export type Overview = {
  total: Sums
  categories: readonly (Sums & { category: string })[]
  /** By state of coverage; null: items whose valuation is not available. */
  states: readonly (Sums & { state: string | null })[]
  without: { photo: number; serial: number }
  policiesEnding: number
  maintenance: { overdue: number; due: number }
}

/** The sums at the end of a closed month, oldest first. */
export type ClosedMonth = { month: string; value: string; declared: string }

/** How many days ahead to announce a policy's end and planned maintenance. */
export const noticeDays = { policies: 60, maintenance: 30 } as const

const sum = (column: string, condition = 'true') => `coalesce(sum(${column}) filter (where ${condition}), 0)`

export async function readOverview(reading: MemberReading): Promise<Overview> {
  const { today, query, queryWhole } = reading
  type Group = Sums & { kind: number; category: string | null; state: string | null }
  const groups = await queryWhole<Group>(`
    select grouping(i.category, i.coverage_state) as kind, i.category, i.coverage_state as state,
      count(*)::integer as items, ${sum('v.current_estimated_value')} as value,
      ${sum('v.current_estimated_value')} - ${sum('v.gap_amount')} as declared,
      ${sum('v.gap_amount', "i.coverage_state = 'under_covered'")} as under,
      (count(*) filter (where i.coverage_state = 'under_covered'))::integer as "underItems",
      ${sum('v.current_estimated_value', "i.coverage_state = 'uninsured'")} as "notDeclared",
      (count(*) filter (where i.coverage_state = 'uninsured'))::integer as "notDeclaredItems",
      ${sum('-v.gap_amount', 'v.gap_amount < 0')} as over,
      (count(*) filter (where v.current_estimated_value is null))::integer as unvalued,
      ${sum('i.reported_insured_value', 'v.current_estimated_value is null')} as "unvaluedDeclared"
    from service.item_documents i
    left join service.item_valuations v on v.item_id = i.id
    group by grouping sets ((i.category), (i.coverage_state), ())
    order by value desc, i.category`)
  const [lacks] = await queryWhole<{ photo: number; serial: number }>(`
    select (count(*) filter (where i.serial_number = ''))::integer as serial,
      (count(*) filter (where not exists (select from service.item_photos p where p.item_id = i.id)))::integer as photo
    from service.item_documents i`)
  const [soon] = await query<{ policies: number; overdue: number; due: number }>(
    `select (select count(*)::integer from api_v1.policies p
         where p.active and p.effective_end <= $1::date + ${noticeDays.policies}) as policies,
       count(*) filter (where m.scheduled_date < $1::date)::integer as overdue,
       count(*) filter (where m.scheduled_date >= $1::date)::integer as due
     from api_v1.maintenance m
     where m.status = 'scheduled' and m.scheduled_date <= $1::date + ${noticeDays.maintenance}`,
    [today],
  )
  const total = groups.find(({ kind }) => kind === 3)
  if (!total || !lacks || !soon) throw new Error('the sums of a studio are missing')
  return {
    total,
    categories: groups.flatMap((group) => (group.category !== null ? [{ ...group, category: group.category }] : [])),
    states: groups.filter(({ kind }) => kind === 2),
    without: lacks,
    policiesEnding: soon.policies,
    maintenance: { overdue: soon.overdue, due: soon.due },
  }
}

/** The last five years of closed months. */
export const readMonths = async ({ query }: MemberReading): Promise<ClosedMonth[]> =>
  (
    await query<ClosedMonth>(
      `select month_end as month, estimated_value as value, reported_insured_value as declared
       from service.closed_months order by month_end desc limit 60`,
    )
  ).toReversed()
