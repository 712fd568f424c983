import { readSums, type Sums } from '../../domain/sums.ts'
import { lacks } from './items-reading.ts'
import { readMaintenance } from './maintenance-reading.ts'
import type { MemberReading } from './member-session.ts'
import { findPolicies } from './policies-reading.ts'

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

/** The page of a list that is read for its total. */
const one = { page: 1, size: 1, skip: 0 }

export async function readOverview(reading: MemberReading): Promise<Overview> {
  const { query, queryWhole } = reading
  const { total, groups } = await readSums(query, { day: null, by: ['category', 'coverage_state'] })
  const [missing] = await queryWhole<Overview['without']>(`
    select (count(*) filter (where ${lacks.serial.condition}))::integer as serial,
      (count(*) filter (where ${lacks.photo.condition}))::integer as photo
    from service.searched_items r`)
  if (!missing) throw new Error('the counts of a studio are missing')
  const { total: policiesEnding } = await findPolicies(reading, 'ending', one)
  const { total: overdue } = await readMaintenance(reading, 'overdue', one)
  const { total: due } = await readMaintenance(reading, 'due', one)
  return {
    total,
    categories: groups('category').toSorted((a, b) => Number(b.estimated_value) - Number(a.estimated_value)),
    states: groups('coverage_state'),
    without: missing,
    policiesEnding,
    maintenance: { overdue, due },
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
