import type { MemberReading } from './member-session.ts'
import { noticeDays } from './overview-reading.ts'
import type { Paged } from './paging.ts'

/** Days are `YYYY-MM-DD`; null: not recorded. */
export type MaintenanceRecord = {
  id: string
  itemId: string
  itemName: string | null
  title: string
  type: string | null
  status: string
  scheduled: string | null
  completed: string | null
  cost: string | null
  vendor: string | null
  description: string | null
}

/** Columns of api_v1.maintenance, which the statement calls m. */
export const maintenanceColumns = `m.id, m.item_id as "itemId", m.item_name as "itemName", m.title,
  m.maintenance_type as type, m.status, m.scheduled_date as scheduled, m.completed_date as completed, m.cost, m.vendor,
  m.description`

const soonest = 'm.scheduled_date asc nulls last'

/** The lists of maintenance, each with its condition; $1 is today. */
export const maintenanceLists = {
  planned: { label: 'Planned', condition: "m.status = 'scheduled'", order: soonest },
  overdue: { label: 'Overdue', condition: "m.status = 'scheduled' and m.scheduled_date < $1::date", order: soonest },
  due: {
    label: `Due within ${noticeDays.maintenance} days`,
    condition: `m.status = 'scheduled' and m.scheduled_date between $1::date and $1::date + ${noticeDays.maintenance}`,
    order: soonest,
  },
  completed: { label: 'Completed', condition: "m.status = 'completed'", order: 'm.completed_date desc' },
} as const

export type MaintenanceList = keyof typeof maintenanceLists

/** Reads a page of a list, and counts the list. */
export async function readMaintenance(
  { query, today }: MemberReading,
  list: MaintenanceList,
  { size, skip }: Paged,
): Promise<{ records: MaintenanceRecord[]; total: number }> {
  const { condition, order } = maintenanceLists[list]
  const [counted] = await query<{ total: number }>(
    `select count(*)::integer as total from api_v1.maintenance m where $1::date is not null and ${condition}`,
    [today],
  )
  const records = await query<MaintenanceRecord>(
    `select ${maintenanceColumns} from api_v1.maintenance m where $1::date is not null and ${condition}
     order by ${order}, m.id limit $2 offset $3`,
    [today, size, skip],
  )
  return { records, total: counted?.total ?? 0 }
}
