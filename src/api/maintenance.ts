import { z } from 'zod'
import { maintenanceStatuses, maintenanceTypes } from '../domain/vocabulary.ts'
import { components, date, id, money, recordTimes, text } from './fields.ts'

export const maintenanceStatus = z
  .enum(maintenanceStatuses)
  .describe('Whether the work is still to be done.')
  .register(components, { id: 'MaintenanceStatus' })

const maintenanceType = z
  .enum(maintenanceTypes)
  .describe('What kind of work it is.')
  .register(components, { id: 'MaintenanceType' })

/** An element of `GET /maintenance`. */
export const maintenanceRecord = z
  .strictObject({
    id: id.describe('Unique id of the record.'),
    item_id: id.describe('Id of the item; usable with `GET /items/{id}`.'),
    item_name: text.nullable().describe('Name of the item; null when unavailable.'),
    title: text.describe('What is or was to be done, in a few words.'),
    maintenance_type: maintenanceType.nullable().describe('Null when not recorded.'),
    status: maintenanceStatus,
    scheduled_date: date.nullable().describe('When it is to be done. Null when no date was set.'),
    completed_date: date
      .nullable()
      .describe('When it was done. Null unless the status is `completed`, and never null then.'),
    cost: money.nullable().describe('What it cost; null when not recorded.'),
    vendor: text.nullable().describe('Who does the work; null when not recorded.'),
    description: text.nullable().describe('Free text; null when not recorded.'),
    ...recordTimes,
  })
  .describe('Work on one item, scheduled or completed.')
  .register(components, { id: 'MaintenanceRecord' })
