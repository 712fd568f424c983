import { afterEach, expect, test } from 'vitest'
import type { z } from 'zod'
import type { policyListed } from '../../src/api/policies.ts'
import { compare, type List, useWorld } from '../support/world.ts'

type Policy = z.infer<typeof policyListed>

const world = useWorld()
const read = (token = world.cast.a.token.token) => world.read<List<Policy>>('/v1/policies?per_page=100', { token })
const ids = ({ data }: List<Policy>) => data.map(({ id }) => id)

/** Stops the one clock that rules about "today" read. */
const stopClock = (moment: string) => setClock(`timestamptz '${moment}'`)
const setClock = (expression: string) =>
  world.owner(`create or replace function access.clock() returns timestamptz
    language sql stable security invoker return ${expression}`)
afterEach(() => setClock('pg_catalog.now()'))

test('a policy is shown as it was recorded, and what was not recorded is null', async () => {
  const { active, open } = world.cast.a.policies
  const { data } = await read()
  expect(data.find(({ id }) => id === active)).toEqual({
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
  })
  expect(data.find(({ id }) => id === open)).toEqual({
    id: open,
    name: 'Open-ended',
    carrier: null,
    policy_number: null,
    policy_type: null,
    overall_limit: null,
    deductible: null,
    covered_perils: null,
    location_constraints: null,
    effective_start: '2021-06-01',
    effective_end: null,
    archived: false,
  })
})

test('only active policies are listed: none archived, expired, future or without a start', async () => {
  const { active, open } = world.cast.a.policies
  expect(ids(await read()).toSorted()).toEqual([active, open].toSorted())
})

test('a policy is active from its first day to its last, both included', async () => {
  const { id: studio, token } = await world.newStudio()
  const policy = { name: 'March', effective_start: '2026-03-10', effective_end: '2026-03-12' }
  const id = await world.add('policies', policy, studio)
  const days: [string, string[]][] = [
    ['2026-03-09T23:59:59.999Z', []],
    ['2026-03-10T00:00:00Z', [id]],
    ['2026-03-12T23:59:59.999Z', [id]],
    ['2026-03-13T00:00:00Z', []],
  ]
  for (const [moment, listed] of days) {
    await stopClock(moment)
    expect(ids(await read(token)), moment).toEqual(listed)
  }
})

test('an open-ended policy stays active', async () => {
  const { id: studio, token } = await world.newStudio()
  const id = await world.add('policies', { name: 'Open', effective_start: '2026-03-10' }, studio)
  for (const [moment, listed] of [
    ['2026-03-09T12:00:00Z', []],
    ['9998-12-31T12:00:00Z', [id]],
  ] as const) {
    await stopClock(moment)
    expect(ids(await read(token))).toEqual(listed)
  }
})

test('today is the day of the studio’s own calendar', async () => {
  // In Kiritimati it is 01:30 on the 11th, in Pago Pago 00:30 on the 10th.
  await stopClock('2026-03-10T11:30:00Z')
  const listed = async (timezone: string) => {
    const { id, token } = await world.newStudio({ timezone })
    await world.add('policies', { name: 'Starts', effective_start: '2026-03-11' }, id)
    await world.add('policies', { name: 'Ends', effective_start: '2026-01-01', effective_end: '2026-03-10' }, id)
    return (await read(token)).data.map(({ name }) => name)
  }
  expect(await listed('Pacific/Kiritimati')).toEqual(['Starts'])
  expect(await listed('Pacific/Pago_Pago')).toEqual(['Ends'])
})

test('archiving takes a policy away, restoring brings it back', async () => {
  const id = await world.add('policies', { name: 'Kept', effective_start: '2020-01-01' })
  expect(ids(await read())).toContain(id)
  await world.change('policies', id, { archived_at: '2026-01-01T00:00:00Z' })
  expect(ids(await read())).not.toContain(id)
  await world.change('policies', id, { archived_at: null })
  expect(ids(await read())).toContain(id)
  await world.change('policies', id, { effective_start: null })
  expect(ids(await read())).not.toContain(id)
})

test('the most recently started policy comes first, ties by id descending', async () => {
  const { id: studio, token } = await world.newStudio()
  for (const effective_start of ['2021-05-01', '2023-05-01', '2022-05-01', '2022-05-01', '2022-05-01', '2023-05-01']) {
    await world.add('policies', { name: effective_start, effective_start }, studio)
  }
  const { data } = await read(token)
  const start = (policy: Policy) => policy.effective_start ?? ''
  expect(data).toEqual(data.toSorted((a, b) => compare(start(b), start(a)) || compare(b.id, a.id)))
  expect(start(data[0] as Policy)).toBe('2023-05-01')
  expect(data).toHaveLength(6)
})

test('each recognised policy type is shown, anything else as null', async () => {
  const recognised = [
    'studio_property',
    'equipment_floater',
    'touring_rider',
    'vehicle_transit',
    'liability',
    'umbrella',
    'other',
  ]
  const { id: studio, token } = await world.newStudio()
  for (const policy_type of [...recognised, 'cyber', 'LIABILITY', 'liability ', '']) {
    await world.add('policies', { name: `type ${policy_type}`, policy_type, effective_start: '2020-01-01' }, studio)
  }
  for (const { name, policy_type } of (await read(token)).data) {
    const stored = name.slice('type '.length)
    expect(policy_type).toBe(recognised.includes(stored) ? stored : null)
  }
})

test('limits and deductibles keep their exact decimals in the JSON text', async () => {
  const { id: studio, token } = await world.newStudio()
  const amounts = { overall_limit: '9999999999.99', deductible: '0.10' }
  await world.add('policies', { name: 'Exact', effective_start: '2020-01-01', ...amounts }, studio)
  const { text } = await world.get('/v1/policies', { token })
  expect(text).toContain('"overall_limit":9999999999.99,"deductible":0.10,')
})

test('covered perils may be an empty list, which is not null', async () => {
  const { id: studio, token } = await world.newStudio()
  await world.add('policies', { name: 'None', effective_start: '2020-01-01', covered_perils: [] }, studio)
  expect((await read(token)).data[0]?.covered_perils).toEqual([])
})

test('updated_since is accepted, and combined with being active', async () => {
  const { id: studio, token } = await world.newStudio()
  const started = { effective_start: '2020-01-01' }
  await world.add('policies', { name: 'Old', ...started }, studio)
  await world.setUpdatedAt('policies', '2024-01-01T00:00:00Z', studio)
  const recent = await world.add('policies', { name: 'New', ...started }, studio)
  await world.add('policies', { name: 'Future', effective_start: '2990-01-01' }, studio)
  const found = await world.read<List<Policy>>('/v1/policies?updated_since=2024-01-01T00:00:00.001Z', { token })
  expect(ids(found)).toEqual([recent])
  expect(found.meta.total).toBe(1)
})
