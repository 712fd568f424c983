import { z } from 'zod'
import { maintenanceStatuses, maintenanceTypes } from '../domain/vocabulary.ts'
import { components, date, id, listOf, money, recordTimes, text } from './fields.ts'
import { listOperation } from './operation.ts'
import { day } from './parameters.ts'

const maintenanceStatus = z
  .enum(maintenanceStatuses)
  .describe('Whether the work is still to be done.')
  .register(components, { id: 'MaintenanceStatus' })

const maintenanceType = z
  .enum(maintenanceTypes)
  .describe('What kind of work it is.')
  .register(components, { id: 'MaintenanceType' })

export const maintenanceRecord = z
  .strictObject({
    id: id.describe('Unique id of the record.'),
    item_id: id.describe('Id of the item; usable with `GET /items/{id}`.'),
    item_name: text.nullable().describe('Name of the item; null when unavailable.'),
    title: text.describe('What is done.'),
    maintenance_type: maintenanceType.nullable().describe('What kind of work it is; null when not recorded.'),
    status: maintenanceStatus,
    scheduled_date: date.nullable().describe('When it is to be done; null when no date was set.'),
    completed_date: date
      .nullable()
      .describe('When it was done: set exactly when the status is `completed`, else null.'),
    cost: money('What it cost; null when not recorded.').nullable(),
    vendor: text.nullable().describe('Who does the work; null when not recorded.'),
    description: text.nullable().describe('Free text; null when not recorded.'),
    ...recordTimes,
  })
  .describe('Work on one item, scheduled or completed.')
  .register(components, { id: 'MaintenanceRecord' })

export const listMaintenance = listOperation({
  id: 'list_maintenance',
  path: '/maintenance',
  summary: 'Scheduled and completed maintenance.',
  description: 'Sorted by the latest update, then by id, descending. Records of archived items are excluded.',
  purpose: 'Work to be done and done: "What is due for service?", "What has been repaired on this console?"',
  tag: 'Maintenance',
  examples: {
    scheduled: { summary: 'Work to be done', request: '/maintenance?status=scheduled&per_page=1' },
    completed: {
      summary: 'Work done on one item',
      request: '/maintenance?item_id=accfc510-6c50-4f2f-8abe-e1cfe42f7ea9&status=completed&per_page=2',
    },
  },
  schema: listOf('MaintenanceList', maintenanceRecord),
  list: {
    view: 'service.maintenance_documents',
    filters: {
      item_id: {
        schema: id,
        description: 'Only the records of this item.',
        examples: ['accfc510-6c50-4f2f-8abe-e1cfe42f7ea9'],
        wrong: { code: 'not_a_uuid', detail: 'item_id must be a UUID.' },
        isSelective: true,
      },
      status: {
        schema: maintenanceStatus,
        description: 'Only records with this status.',
        examples: ['scheduled'],
      },
      due_before: {
        ...day('due_before', 'Only scheduled records that are due before this day.'),
        condition: 'service.is_due(r.status, r.scheduled_date, null, $)',
      },
      due_after: {
        ...day('due_after', 'Only scheduled records that are due after this day.'),
        condition: 'service.is_due(r.status, r.scheduled_date, $, null)',
      },
    },
    search: { view: 'service.maintenance_documents', by: ['due_before', 'due_after'] },
    counters: { view: 'service.maintenance_counts', sum: 'records', by: ['status'] },
  },
})
