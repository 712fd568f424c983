import { expect, test } from 'vitest'
import { gateMessage } from '../support/gate-message.ts'
import { describedApi } from './described.ts'

const { schemas } = describedApi().components
type Fields = { properties: Record<string, { type?: unknown; anyOf?: unknown[] }>; required: string[] }

test('the 16 categories are those of the specification, to the byte', () => {
  expect(schemas.Category?.enum).toEqual([
    'Microphones',
    'Preamps & Channel Strips',
    'Outboard \u2014 Dynamics & EQ',
    'Effects & Reverb Units',
    'Mixing Consoles & Summing',
    'Recorders & Tape Machines',
    'Interfaces & Converters',
    'Monitoring & Headphones',
    'Guitars & Basses',
    'Keyboards & Synthesizers',
    'Drums & Percussion',
    'Amplifiers & Cabinets',
    'Computers & Software',
    'Cables, Stands & Accessories',
    'Acoustic Treatment & Furniture',
    'Other / Uncategorised',
  ])
})

test('the other enumerations are those of the specification', () => {
  expect(schemas.CoverageState?.enum).toEqual(['fully_covered', 'under_covered', 'uninsured', 'value_unknown'])
  const sources = 'agreed market manual depreciated purchase_price replacement_cost unknown'
  expect(schemas.ValueSource?.enum).toEqual(sources.split(' '))
  const types = 'studio_property equipment_floater touring_rider vehicle_transit liability umbrella other'
  expect(schemas.PolicyType?.enum).toEqual(types.split(' '))
})

const item =
  'id name manufacturer model serial_number barcode category tags purchase_price acquisition_date? depreciation_method ' +
  'market_value_as_of? reported_insured_value location_id? created_at updated_at'
const valuation =
  'current_estimated_value? value_source? agreed_value_from_policy? coverage_state? gap_amount? photo_urls'

/** The specification's fields. `?`: may be null, by it or because no value is neutral. */
test.each([
  ['ItemSummary', item],
  ['Item', `${item} ${valuation}`],
  ['Assignment', 'policy_id policy_name? declared_value? is_primary effective_start? effective_end?'],
  [
    'Policy',
    'id name carrier? policy_number? policy_type? overall_limit? deductible? covered_perils? location_constraints? ' +
      'effective_start? effective_end? archived assignments_count',
  ],
])('%s has every field of the specification, null exactly where it may be', (name, fields) => {
  const { properties, required } = schemas[name] as Fields
  const specified = fields.split(' ').map((field) => field.replace('?', ''))
  const shown = specified.filter((field) => required.includes(field))
  const mayBeNull = (field: string) => {
    const { type, anyOf } = properties[field] ?? {}
    return JSON.stringify([type, anyOf]).includes('"null"')
  }
  const wrong = gateMessage({
    wrong: `a field of ${name} differs from the specification, which v1 cannot change; a new field needs no line here`,
    edit: 'src/api/, where the schema is',
    run: 'npx vitest run test/openapi/schemas.test.ts',
  })
  expect(shown.map((field) => (mayBeNull(field) ? `${field}?` : field)).join(' '), wrong).toBe(fields)
})
