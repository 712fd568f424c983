import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { policyDetail } from '../../src/api/policies.ts'
import { type Single, useWorld } from '../support/world.ts'

type Policy = z.infer<typeof policyDetail>

// Tests here change what the schema says, which moves no version: no earlier answer may be cached.
const world = useWorld({ cacheMaxBytes: 0 })
const read = async (id: string) => (await world.read<Single<Policy>>(`/v1/policies/${id}`)).data

test('a policy is shown with its assignment count', async () => {
  const { active } = world.cast.a.policies
  expect(await read(active)).toEqual({
    id: active,
    name: 'Studio cover',
    carrier: 'Carrier',
    policy_number: 'P-1',
    policy_type: 'studio_property',
    overall_limit: 100000,
    deductible: 250,
    covered_perils: ['fire', 'theft'],
    location_constraints: 'Only at home',
    effective_start: '2020-01-01',
    effective_end: '2999-12-31',
    archived: false,
    assignments_count: 2,
  })
})

test('any policy of the studio is found: archived, expired, future, without a start', async () => {
  const { archived, expired, future, odd } = world.cast.a.policies
  expect(await read(archived)).toMatchObject({ name: 'Withdrawn', archived: true })
  expect(await read(expired)).toMatchObject({ name: 'Expired', archived: false, effective_end: '2015-12-31' })
  expect(await read(future)).toMatchObject({ name: 'Future', effective_start: '2990-01-01' })
  expect(await read(odd)).toMatchObject({ name: 'Odd', effective_start: null })
})

test('a type that is not recognised is null, and its text is nowhere in the answer', async () => {
  const { status, text, json } = await world.get<Single<Policy>>(`/v1/policies/${world.cast.a.policies.odd}`)
  expect(status).toBe(200)
  expect(json.data.policy_type).toBeNull()
  expect(text).not.toContain('cyber')
})

test('every assignment counts: of archived items, with a window in the past, on expired policies', async () => {
  const { items, policies } = world.cast.a
  expect((await read(policies.open)).assignments_count).toBe(1)
  expect((await read(policies.expired)).assignments_count).toBe(1)
  expect((await read(policies.archived)).assignments_count).toBe(1)
  const past = { effective_start: '2001-01-01', effective_end: '2001-12-31' }
  await world.add('policy_assignments', { item_id: items.guitar, policy_id: policies.open, ...past })
  expect((await read(policies.open)).assignments_count).toBe(2)
  expect((await read(policies.future)).assignments_count).toBe(0)
})

test('when the assignments cannot be counted the count is 0 and the policy is whole', async () => {
  const whole = await read(world.cast.a.policies.active)
  expect(whole.assignments_count).toBeGreaterThan(0)
  await world.owner('alter view api_v1.assignments rename to assignments_away')
  try {
    expect(await read(whole.id)).toEqual({ ...whole, assignments_count: 0 })
  } finally {
    await world.owner('alter view api_v1.assignments_away rename to assignments')
  }
  expect(await read(whole.id)).toEqual(whole)
})

test('limits and deductibles keep their exact decimals in the JSON text', async () => {
  const amounts = { overall_limit: '9999999999.99', deductible: '0.10' }
  const id = await world.add('policies', { name: 'Exact', effective_start: '2020-01-01', ...amounts })
  const { text } = await world.get(`/v1/policies/${id}`)
  expect(text).toContain('"overall_limit":9999999999.99,"deductible":0.10,')
})

test('the detail agrees with the list on every field that both have', async () => {
  const { data } = await world.read<{ data: { id: string }[] }>('/v1/policies')
  expect(data.length).toBeGreaterThan(0)
  for (const listed of data) expect(await read(listed.id)).toMatchObject(listed)
})

test('an id in capitals is the same id', async () => {
  const { active } = world.cast.a.policies
  expect((await read(active.toUpperCase())).id).toBe(active)
})
