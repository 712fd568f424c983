import { describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { problem } from '../../src/apps/docs/openapi/problem.ts'
import { problemDefinitions } from '../../src/http/problems.ts'
import { gateMessage } from '../support/gate-message.ts'
import { itemId } from './support.ts'

const at = '2024-03-01T12:30:00.123Z'
const day = '2024-03-01'
const _meta = { disclaimers: ['a', 'b'], documentation_url: 'https://docs.example.com/api#adequacy-disclaimer' }

const item = {
  id: itemId,
  name: 'U 87',
  manufacturer: '',
  model: '',
  serial_number: '',
  barcode: '',
  category: 'Microphones',
  tags: [],
  purchase_price: 0,
  acquisition_date: null,
  depreciation_method: 'none',
  market_value_as_of: null,
  reported_insured_value: 0,
  location_id: null,
  created_at: at,
  updated_at: at,
}
const itemWhole = {
  ...item,
  current_estimated_value: null,
  value_source: null,
  agreed_value_from_policy: null,
  coverage_state: null,
  gap_amount: null,
  photo_urls: [],
}
const policy = {
  id: itemId,
  name: 'All risks',
  carrier: null,
  policy_number: null,
  policy_type: null,
  overall_limit: null,
  deductible: null,
  covered_perils: null,
  location_constraints: null,
  effective_start: day,
  effective_end: null,
  archived: false,
}
const samples: Record<string, Record<string, unknown>> = {
  list_items: item,
  get_item: itemWhole,
  list_item_policies: {
    policy_id: itemId,
    policy_name: null,
    declared_value: null,
    is_primary: true,
    effective_start: null,
    effective_end: null,
  },
  list_locations: {
    id: itemId,
    name: 'Room A',
    description: null,
    type: null,
    parent_id: null,
    address_line1: null,
    address_line2: null,
    city: null,
    region: null,
    postal_code: null,
    country_code: 'DE',
    is_default: true,
    created_at: at,
    updated_at: at,
  },
  list_maintenance: {
    id: itemId,
    item_id: itemId,
    item_name: null,
    title: 'New valves',
    maintenance_type: 'repair',
    status: 'completed',
    scheduled_date: null,
    completed_date: day,
    cost: 0.1,
    vendor: null,
    description: null,
    created_at: at,
    updated_at: at,
  },
  list_policies: policy,
  get_policy: { ...policy, assignments_count: 0 },
  list_removals: { resource: 'item', id: itemId, reason: 'archived', removed_at: at },
  get_account: {
    name: 'Studio',
    plan_tier: 'pro_insure',
    is_trial: false,
    trial_ends_at: null,
    current_period_start: at,
    current_period_end: at,
    item_count: 0,
    currency: 'EUR',
    timezone: 'Europe/Berlin',
  },
}

describe.each(operations)('the schema of $id', ({ id, envelope, schema }) => {
  const sample = samples[id] ?? {}
  const bodyOf = (resource: unknown) => {
    if (envelope === 'single') return { data: resource, _meta }
    if (envelope === 'array') return { data: [resource], _meta }
    return { data: [resource], meta: { page: 1, per_page: 50, total: 1, next_page: null }, _meta }
  }
  const accepts = (body: unknown) => schema.safeParse(body).success

  test('accepts a resource whose optional values are null', () => {
    const wrong = gateMessage({
      wrong: `the sample of ${id} has other fields than its schema`,
      edit: `test/http/schemas.test.ts: samples.${id}; or the schema in src/api/`,
      run: 'npx vitest run test/http/schemas.test.ts',
    })
    expect(schema.safeParse(bodyOf(sample)).error, wrong).toBeUndefined()
  })

  test('wants every field, and no other', () => {
    for (const field of Object.keys(sample)) {
      const { [field]: _, ...rest } = sample
      expect([field, accepts(bodyOf(rest))]).toEqual([field, false])
      expect([field, accepts(bodyOf({ ...sample, [field]: undefined }))]).toEqual([field, false])
    }
    for (const field of ['studio_id', 'notes', 'owner_user_id', 'coverage', 'assignment_id']) {
      expect([field, accepts(bodyOf({ ...sample, [field]: 'x' }))]).toEqual([field, false])
    }
  })

  test('wants exactly the keys of the envelope', () => {
    const body = bodyOf(sample)
    expect(accepts({ ...body, links: {} })).toBe(false)
    expect(accepts({ ...body, _meta: { ..._meta, version: 1 } })).toBe(false)
    expect(accepts({ data: body.data })).toBe(false)
    if (envelope !== 'list')
      expect(accepts({ ...body, meta: { page: 1, per_page: 50, total: 1, next_page: null } })).toBe(false)
  })

  test('takes no other form of time or date', () => {
    for (const [field, value] of Object.entries(sample)) {
      if (value === at) {
        for (const other of ['2024-03-01T12:30:00Z', '2024-03-01T12:30:00.123+00:00', '2024-03-01 12:30:00.123Z']) {
          expect([field, other, accepts(bodyOf({ ...sample, [field]: other }))]).toEqual([field, other, false])
        }
      }
      if (value === day) expect(accepts(bodyOf({ ...sample, [field]: '2024-03-01T00:00:00.000Z' }))).toBe(false)
    }
  })
})

test('a list shows no field that is marked "Detail only"', () => {
  const list = operations.find(({ id }) => id === 'list_items')
  const meta = { page: 1, per_page: 50, total: 1, next_page: null }
  for (const field of [
    'current_estimated_value',
    'value_source',
    'agreed_value_from_policy',
    'coverage_state',
    'gap_amount',
  ]) {
    expect(list?.schema.safeParse({ data: [{ ...item, [field]: null }], meta, _meta }).success).toBe(false)
  }
})

test('the problem schema knows every error of the service', () => {
  for (const [code, { status, title, detail }] of Object.entries(problemDefinitions)) {
    const body = {
      type: 'https://docs.example.com/api#x',
      title,
      status,
      detail,
      code,
      request_id: crypto.randomUUID(),
      _meta,
    }
    expect(problem.safeParse(body).success).toBe(true)
    expect(problem.safeParse({ ...body, cause: 'x' }).success).toBe(false)
  }
})
