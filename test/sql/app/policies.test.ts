import { beforeAll, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeAll(async () => {
  studio = await sql.studio()
})

const types = [
  'studio_property',
  'equipment_floater',
  'touring_rider',
  'vehicle_transit',
  'liability',
  'umbrella',
  'other',
]

const shown = async (id: string) => parsed<{ policy_type: string | null }>(await studio.ask('get_policy', id))[0]

describe('policy_type', () => {
  test.each(types)('%s is shown', async (policy_type) => {
    const id = await studio.add('policies', { policy_type })
    expect(await shown(id)).toMatchObject({ policy_type })
  })

  test.each(['Liability', 'cyber', 'studio property', '', null])(
    '%j is stored as it came and shown as null',
    async (policy_type) => {
      const id = await studio.add('policies', { policy_type })
      expect(await studio.get('policies', id)).toMatchObject({ policy_type })
      expect(await shown(id)).toMatchObject({ policy_type: null })
    },
  )
})

test('what is not recorded is null, not empty', async () => {
  expect(await shown(await studio.add('policies'))).toMatchObject({
    carrier: null,
    policy_number: null,
    policy_type: null,
    overall_limit: null,
    deductible: null,
    covered_perils: null,
    location_constraints: null,
    effective_start: null,
    effective_end: null,
    archived: false,
    assignments_count: 0,
  })
})

test('no peril is null', async () => {
  await expect(studio.add('policies', { covered_perils: ['fire', null] })).rejects.toMatchObject({ code: '23514' })
})

test.each([
  ['2026-02-02', '2026-02-01', false],
  ['2026-02-02', '2026-02-02', true],
  [null, '2026-02-02', true],
  ['2026-02-02', null, true],
  ['infinity', null, false],
  [null, '-infinity', false],
  ['10000-01-01', null, false],
  ['0044-03-15 BC', null, false],
])('from %s to %s is a window: %s', async (effective_start, effective_end, allowed) => {
  const adding = studio.add('policies', { effective_start, effective_end })
  if (allowed) expect(await shown(await adding)).toMatchObject({ effective_start, effective_end })
  else await expect(adding).rejects.toMatchObject({ code: '23514' })
})

test('a policy is archived, not deleted', async () => {
  const id = await studio.add('policies')
  await expect(studio.remove('policies', id)).rejects.toMatchObject({ code: '42501' })
  await studio.change('policies', id, { archived_at: '2026-01-01T00:00:00Z' })
  expect(await shown(id)).toMatchObject({ archived: true })
})
