import { policyTypes } from '../../domain/vocabulary.ts'
import { amount, key, list, text, yesNo } from '../cells.ts'
import {
  archived,
  externalKey,
  itemColumn,
  type Kind,
  type Layout,
  noteArchived,
  type Rule,
  rowsOf,
  settleArchived,
  windowColumns,
  windowRule,
} from './kind.ts'

const nouns = ['policy', 'policies'] as const

export const policies: Kind = {
  name: 'policies',
  table: 'policies',
  nouns,
  key: 'external_key',
  otherKeys: ['policy_number', 'name'],
  columns: [
    { ...externalKey, example: 'POL-2024' },
    { name: 'name', cell: text, required: true, description: 'Name.', example: 'Studio contents' },
    { name: 'carrier', cell: text, description: 'Insurance carrier.', example: 'Harbour Mutual' },
    { name: 'policy_number', cell: text, description: "The carrier's number.", example: 'HM-220-4471' },
    {
      name: 'policy_type',
      cell: {
        ...text,
        accepts: `${policyTypes.map((type) => `\`${type}\``).join(', ')}; any other text is kept and the API shows null`,
      },
      description: 'Type of the policy.',
      example: 'studio_property',
    },
    { name: 'overall_limit', cell: amount, description: 'The most that the policy pays.', example: '250000.00' },
    { name: 'deductible', cell: amount, description: 'The amount deducted from a claim.', example: '500.00' },
    { name: 'covered_perils', cell: list, description: 'Covered perils.', example: 'fire|theft|water' },
    {
      name: 'location_constraints',
      cell: text,
      description: 'Places where the policy applies.',
      example: 'Premises only',
    },
    ...windowColumns('the cover'),
    archived,
    { name: 'notes', cell: text, description: 'Your own notes; the API never shows them.', example: '' },
  ],
  archivable: true,
  rules: [windowRule({ table: 'policies', key: 'external_key' })],
  settle: (layout) => settleArchived('policies', layout),
  notes: (layout) => [...noteArchived('policies', nouns, layout), ...noteTypes(layout)],
}

/** An unrecognised type is stored as is, and the API shows null. The user should know. */
function noteTypes(layout: Layout): string[] {
  if (!layout.has('policy_type')) return []
  const known = policyTypes.map((type) => `'${type}'`).join(', ')
  return [
    `select count(*) || ' of the file''s policies have a policy_type that the API shows as null (first: line '
       || min(r.line) || ')' as note
     from pg_temp.import_rows r where r.policy_type not in (${known}) having count(*) > 0`,
  ]
}

const table = { table: 'policy_assignments', key: 'external_key' } as const

/** Finds items that would have two primary assignments. */
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
  rules: [onePrimary, windowRule(table)],
  // A row that loses the primary place, or changes its item, makes room for the next.
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
