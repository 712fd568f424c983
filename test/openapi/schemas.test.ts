import { expect, test } from 'vitest'
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

/** The fields that the specification says may be null, and acquisition_date and market_value_as_of, which have no neutral value. */
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
  expect(mayBeNull.map(([field]) => field)).toEqual(nullable)
})

test('every object has all of its fields, and may gain others', () => {
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.type !== 'object') continue
    const optional: Record<string, string[]> = { Problem: ['errors'], ParameterError: ['allowed'] }
    expect(schema.additionalProperties, name).toBeUndefined()
    for (const [field, described] of Object.entries(fieldsOf(name).properties)) {
      const { description = '', $ref = '' } = described as { description?: string; $ref?: string }
      const referred = schemas[$ref.split('/').at(-1) ?? ''] as { description?: string } | undefined
      expect(description || referred?.description, `${name}.${field}`).toMatch(/\w.*\./s)
    }
    expect(Object.keys(fieldsOf(name).properties).filter((field) => !fieldsOf(name).required.includes(field))).toEqual(
      optional[name] ?? [],
    )
  }
})

test('ids, dates, timestamps and money have their formats', () => {
  const { id, acquisition_date, updated_at, purchase_price, photo_urls } = fieldsOf('Item').properties
  expect(id).toMatchObject({ type: 'string', format: 'uuid' })
  expect(acquisition_date).toMatchObject({ type: ['string', 'null'], format: 'date' })
  expect(updated_at).toMatchObject({ type: 'string', format: 'date-time' })
  expect(purchase_price).toMatchObject({ type: 'number' })
  expect(photo_urls).toMatchObject({ type: 'array', items: { type: 'string', format: 'uri' } })
})

test('what is reserved is described where it is', () => {
  const { agreed_value_from_policy, value_source } = fieldsOf('Item').properties
  expect(agreed_value_from_policy).toMatchObject({ description: expect.stringContaining('always null in v1') })
  expect(value_source).toMatchObject({ anyOf: [{ $ref: '#/components/schemas/ValueSource' }, { type: 'null' }] })
  expect(schemas.ValueSource).toMatchObject({
    description: expect.stringContaining('`agreed` is reserved and does not occur in v1'),
  })
})
