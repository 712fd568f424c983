import { policyTypes } from '../../../domain/vocabulary.ts'
import { amount, list, text, title } from '../cells.ts'
import { archived, noteArchived, settleArchived } from './archiving.ts'
import { externalKey, type Kind, type Layout } from './kind.ts'
import { windowColumns, windowRule } from './windows.ts'

const nouns = ['policy', 'policies'] as const

export const policies: Kind = {
  name: 'policies',
  table: 'policies',
  nouns,
  key: 'external_key',
  columns: [
    { ...externalKey, example: 'POL-2024' },
    { name: 'name', cell: title, required: true, description: 'What it is called.', example: 'Studio contents' },
    { name: 'carrier', cell: text, description: 'Who insures.', example: 'Harbour Mutual' },
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
    { name: 'overall_limit', cell: amount, description: 'The most that it pays.', example: '250000.00' },
    { name: 'deductible', cell: amount, description: 'What is deducted from a claim.', example: '500.00' },
    { name: 'covered_perils', cell: list, description: 'What it covers.', example: 'fire|theft|water' },
    { name: 'location_constraints', cell: text, description: 'Where it applies.', example: 'Premises only' },
    ...windowColumns('the cover'),
    archived,
    { name: 'notes', cell: text, description: 'Your own notes; the API never shows them.', example: '' },
  ],
  archivable: true,
  rules: [windowRule({ table: 'policies', key: 'external_key' })],
  settle: (layout) => settleArchived('policies', layout),
  notes: (layout) => [...noteArchived('policies', nouns, layout), ...noteTypes(layout)],
}

/** A type that is not recognised is stored as it came, and the API shows null: nobody should find that out by chance. */
function noteTypes(layout: Layout): string[] {
  if (!layout.has('policy_type')) return []
  const known = policyTypes.map((type) => `'${type}'`).join(', ')
  return [
    `select count(*) || ' of the file''s policies have a policy_type that the API shows as null (first: line '
       || min(r.line) || ')' as note
     from pg_temp.import_rows r where r.policy_type not in (${known}) having count(*) > 0`,
  ]
}
