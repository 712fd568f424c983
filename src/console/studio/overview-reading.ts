import { readSums, type Sums } from '../../domain/sums.ts'
import type { MemberReading } from './member-session.ts'

export type Overview = {
  total: Sums
  /** The most valuable first. */
  categories: readonly Sums[]
  /** By coverage state; null: items whose valuation is not available. */
  states: readonly Sums[]
  without: { photo: number; serial: number }
  policiesEnding: number
  maintenance: { overdue: number; due: number }
}

/** The sums at the end of a closed month, oldest first. */
export type ClosedMonth = { month: string; value: string; declared: string }

/** How many days ahead to announce a policy's end and planned maintenance. */
export const noticeDays = { policies: 60, maintenance: 30 } as const

export async function readOverview(reading: MemberReading): Promise<Overview> {
  const { today, query, queryWhole } = reading
  const { total, groups } = await readSums(query, { day: null, by: ['category', 'coverage_state'] })
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
  if (!lacks || !soon) throw new Error('the counts of a studio are missing')
  return {
    total,
    categories: groups('category').toSorted((a, b) => Number(b.estimated_value) - Number(a.estimated_value)),
    states: groups('coverage_state'),
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
