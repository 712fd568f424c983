import { amount, key, text, yesNo } from '../cells.ts'
import { externalKey, itemColumn, type Kind, type Rule, rowsOf } from './kind.ts'
import { windowColumns, windowRule } from './windows.ts'

const table = { table: 'policy_assignments', key: 'external_key' } as const

/** The row is, or will be, the primary assignment of its item, and so is another one, of the file or existing. */
const onePrimary: Rule = {
  reads: ['item', 'is_primary'],
  errors: ({ final }) => `
    select p.line, 'is_primary', 'yes', 'is a second primary assignment of the item ' || p.item || ', after ' || case
        when p.first <> p.line then 'the one on line ' || p.first
        else coalesce(o.external_key, 'one without external key') || ', which already exists' end,
      'let one of them be primary'
    from (
      select r.line, ${final('item')} as item_id, coalesce(r.item, ${final('item')}::text) as item,
        min(r.line) over (partition by ${final('item')}) as first
      from ${rowsOf(table, ['item', 'is_primary'])}
      where ${final('is_primary')} and ${final('item')} is not null
    ) as p
    left join app.policy_assignments as o on o.studio_id = (select access.current_studio_id()) and o.item_id = p.item_id
      and o.is_primary and not exists (select from pg_temp.import_rows x where x.existing_id = o.id)
    where p.first <> p.line or o.id is not null`,
}

export const assignments: Kind = {
  name: 'assignments',
  ...table,
  nouns: ['assignment', 'assignments'],
  columns: [
    { ...externalKey, example: 'MIC-001/POL-2024' },
    itemColumn,
    {
      name: 'policy',
      cell: key,
      target: 'policy_id',
      required: true,
      refersTo: 'policies',
      description: 'The policy: its external key or id.',
      example: 'POL-2024',
    },
    { name: 'declared_value', cell: amount, description: 'Amount declared; empty: unknown.', example: '2500.00' },
    {
      name: 'is_primary',
      cell: yesNo,
      whenEmpty: 'false',
      description: 'Whether it is the primary assignment of its item; at most one is.',
      example: 'yes',
    },
    ...windowColumns('the assignment'),
    { name: 'notes', cell: text, description: 'Your own notes; the API never shows them.', example: '' },
  ],
  archivable: false,
  writtenInOneStatement: true,
  rules: [onePrimary, windowRule(table)],
  // A row that stops being primary, or that becomes it for another item, makes room for the one that takes its place.
  release: (layout) =>
    layout.has('is_primary') || layout.has('item')
      ? [
          `update app.policy_assignments as existing set is_primary = false
           from pg_temp.import_rows as r
           where existing.studio_id = (select access.current_studio_id()) and existing.id = r.existing_id
             and existing.is_primary
             and (not ${layout.final('is_primary')} or ${layout.final('item')} <> existing.item_id)`,
        ]
      : [],
}
