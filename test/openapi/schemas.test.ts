import { expect, test } from 'vitest'
import { gateMessage } from '../support/gate-message.ts'
import { describedApi } from './described.ts'

const { schemas } = describedApi().components
type Fields = { properties: Record<string, { type?: unknown; anyOf?: unknown[] }>; required: string[] }
const fieldsOf = (name: string) => schemas[name] as Fields

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
  expect(schemas.ValueSource?.enum).toEqual([
    'agreed',
    'market',
    'manual',
    'depreciated',
    'purchase_price',
    'replacement_cost',
    'unknown',
  ])
  expect(schemas.PolicyType?.enum).toEqual([
    'studio_property',
    'equipment_floater',
    'touring_rider',
    'vehicle_transit',
    'liability',
    'umbrella',
    'other',
  ])
})

/** Fields that may be null, by the specification or because no value is neutral. */
test.each([
  ['ItemSummary', ['acquisition_date', 'market_value_as_of', 'location_id']],
  [
    'Item',
    [
      'acquisition_date',
      'market_value_as_of',
      'location_id',
      'current_estimated_value',
      'value_source',
      'agreed_value_from_policy',
      'coverage_state',
      'gap_amount',
    ],
  ],
  ['Assignment', ['policy_name', 'declared_value', 'effective_start', 'effective_end']],
  [
    'Policy',
    [
      'carrier',
      'policy_number',
      'policy_type',
      'overall_limit',
      'deductible',
      'covered_perils',
      'location_constraints',
      'effective_start',
      'effective_end',
    ],
  ],
])('of %s exactly the fields may be null that can be', (name, nullable) => {
  const { properties } = fieldsOf(name)
  const mayBeNull = Object.entries(properties).filter(([, { type, anyOf }]) =>
    JSON.stringify([type, anyOf]).includes('"null"'),
  )
  const wrong = gateMessage({
    wrong: `other fields of ${name} may be null than this list says; a field of v1 cannot change that later`,
    edit: 'test/openapi/schemas.test.ts, when a new field has no neutral value',
    run: 'npx vitest run test/openapi/schemas.test.ts',
  })
  expect(
    mayBeNull.map(([field]) => field),
    wrong,
  ).toEqual(nullable)
})
