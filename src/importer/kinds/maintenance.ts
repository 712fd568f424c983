import { maintenanceStatuses, maintenanceTypes } from '../../domain/vocabulary.ts'
import { amount, day, oneOf, text } from '../cells.ts'
import { externalKey, itemColumn, type Kind, type Rule, rowsOf } from './kind.ts'

const table = { table: 'maintenance_records', key: 'external_key' } as const
const reads = ['status', 'completed_date']

/** Completed work has a date of completion, other work has none. */
const completedWithDate: Rule = {
  reads,
  errors: ({ final }) => {
    const [status, date] = [`coalesce(${final('status')}, 'scheduled')`, final('completed_date')]
    return `
      select r.line, case when ${date} is null then 'completed_date' else 'status' end,
        case when ${date} is null then null else ${status} end,
        case when ${date} is null then 'is missing although status is completed'
          else 'is not completed although completed_date is ' || ${date} end,
        case when ${date} is null then 'write the day of completion'
          else 'write completed, or leave completed_date empty' end
      from ${rowsOf(table, reads)}
      where (${status} = 'completed') <> (${date} is not null)`
  },
}

export const maintenance: Kind = {
  name: 'maintenance',
  ...table,
  nouns: ['maintenance record', 'maintenance records'],
  columns: [
    { ...externalKey, example: 'SVC-2024-07' },
    itemColumn,
    { name: 'title', cell: text, required: true, description: 'Title of the work.', example: 'Capsule cleaned' },
    { name: 'maintenance_type', cell: oneOf(maintenanceTypes), description: 'Kind of work.', example: 'cleaning' },
    {
      name: 'status',
      cell: oneOf(maintenanceStatuses),
      whenEmpty: 'scheduled',
      impliedBy: { column: 'completed_date', value: 'completed' },
      description: 'Whether the work is due or done; empty: completed if there is a completed_date, else scheduled.',
      example: 'completed',
    },
    { name: 'scheduled_date', cell: day, description: 'Due date.', example: '2024-07-01' },
    {
      name: 'completed_date',
      cell: day,
      isPast: true,
      description: 'Date of completion. Status `completed` needs it, and no other status may have it.',
      example: '2024-07-03',
    },
    { name: 'cost', cell: amount, description: 'Cost of the work.', example: '120.00' },
    { name: 'vendor', cell: text, description: 'Person or company that does the work.', example: 'Capsule Works' },
    { name: 'description', cell: text, description: 'Free text.', example: 'Slight crackle gone' },
  ],
  archivable: false,
  rules: [completedWithDate],
}
