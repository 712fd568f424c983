import type { z } from 'zod'
import { listMaintenance, type maintenanceRecord } from '../../api/maintenance.ts'
import type { ListSource } from '../../api/operation.ts'
import { daysAfter } from '../../domain/dates.ts'
import type { MemberReading } from './member-session.ts'
import { type NamedList, type Paged, readPage } from './paging.ts'

/** A record as the API shows it. */
export type MaintenanceRecord = z.infer<typeof maintenanceRecord>

/** The list of the API, with the orders that the console adds. */
const list: ListSource = {
  ...listMaintenance.list,
  view: 'api_v1.maintenance',
  documents: 'service.maintenance_documents d on d.id = k.id',
  orders: {
    soonest: { by: 'scheduled_date', direction: 'asc' },
    latest: { by: 'completed_date', direction: 'desc' },
  },
}

/** How many days ahead the console announces planned maintenance. */
export const noticeOfMaintenance = 30

/** The lists of maintenance, each with filters of the API. */
export const maintenanceLists = {
  planned: { label: 'Planned', order: 'soonest', filters: () => ({ status: 'scheduled' }) },
  overdue: { label: 'Overdue', order: 'soonest', filters: (today) => ({ due_before: today }) },
  due: {
    label: `Due within ${noticeOfMaintenance} days`,
    order: 'soonest',
    filters: (today) => ({ due_after: daysAfter(today, -1), due_before: daysAfter(today, noticeOfMaintenance + 1) }),
  },
  completed: { label: 'Completed', order: 'latest', filters: () => ({ status: 'completed' }) },
} as const satisfies Record<string, NamedList>

export type MaintenanceList = keyof typeof maintenanceLists

/** Reads a page of a list, of all items or of one, and counts the list. */
export async function readMaintenance(
  reading: MemberReading,
  name: MaintenanceList,
  paged: Paged,
  item?: { item_id: string },
): Promise<{ records: MaintenanceRecord[]; total: number }> {
  const { order, filters } = maintenanceLists[name]
  const { total, documents } = await readPage(reading, list, { ...filters(reading.today), ...item, order }, paged)
  return { records: JSON.parse(`[${documents}]`), total }
}
