import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let analyst: Session

beforeEach(async () => {
  await sql.stopClock('2026-03-15T12:00:00Z')
  studio = await sql.studio()
  analyst ??= await sql.connect('studio_graphql')
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
})
afterAll(() => sql.startClock())

type Sums = Record<string, string | number | null> & { grouped_by: string; key: string | null; items: number }
const sums = (asked: string, session = analyst) => session.rows<Sums>(`select * from api_v1.sums_on(${asked})`)
const total = async (asked = '') => (await sums(asked))[0]

/** Items in every coverage state, at a location within another, and one without a location. */
async function addItems(): Promise<{ room: string; rack: string; microphone: string; amplifier: string }> {
  const room = await studio.add('locations', { name: 'Room' })
  const rack = await studio.add('locations', { name: 'Rack', parent_id: room })
  const add = (columns: object) => studio.add('items', { acquisition_date: '2025-01-01', ...columns })
  const microphone = await add({
    ...{ category: 'Microphones', location_id: rack, purchase_price: '100.10', replacement_cost: 150 },
    reported_insured_value: 40,
  })
  const amplifier = await add({ category: 'Amplifiers & Cabinets', location_id: room, purchase_price: 500 })
  await add({ category: 'Microphones', location_id: room, purchase_price: 200, reported_insured_value: 230 })
  await add({ category: 'Microphones', reported_insured_value: '3.33' })
  return { room, rack, microphone, amplifier }
}

test('a location with its sublocations has what is in them, and a location has not', async () => {
  const { room, rack } = await addItems()
  const rows = await sums(`by => '{location,location_with_sublocations}'`)
  const items = (grouping: string) =>
    Object.fromEntries(rows.filter((row) => row.grouped_by === grouping).map(({ key, items }) => [String(key), items]))
  expect(items('location')).toEqual({ [room]: 2, [rack]: 1, null: 1 })
  expect(items('location_with_sublocations')).toEqual({ [room]: 3, [rack]: 1, null: 1 })
})

test('a filter leaves only its items, in all groups', async () => {
  await addItems()
  expect(await total(`category => 'Microphones'`)).toMatchObject({ items: 3, estimated_value: '300.10' })
  expect(await sums(`by => '{category}', coverage_state => 'uninsured'`)).toMatchObject([
    { key: 'Amplifiers & Cabinets', items: 1, estimated_value: '500.00' },
  ])
  expect(await total(`category => 'Lighting'`)).toMatchObject({ items: 0, estimated_value: '0.00' })
})

test('a studio without items has a total of zeros, and no groups', async () => {
  for (const day of ['null', `'2020-01-01'`, `'infinity'`]) {
    const rows = await sums(`${day}, '{total,category,policy,location_with_sublocations}', with_cover => true`)
    expect(rows).toMatchObject([{ grouped_by: 'total', items: 0, book_value: '0.00', declared_under_policies: '0.00' }])
  }
})

test('today shows a replacement cost at once, although the list of values does not change', async () => {
  const { microphone } = await addItems()
  const before = await studio.updatedAt('item_valuations', microphone)
  await studio.change('items', microphone, { replacement_cost: '175.50' })
  expect(await total()).toMatchObject({ replacement_cost: '175.50' })
  expect(await studio.updatedAt('item_valuations', microphone)).toBe(before)
})

describe('what policies cover', () => {
  test('counts on the days of the policy and of the assignment, and an amount that is not recorded is 0', async () => {
    const { microphone, amplifier } = await addItems()
    const policy = await studio.add('policies', { effective_start: '2026-01-01', effective_end: '2026-12-31' })
    const other = await studio.add('policies', { effective_start: '2025-01-01' })
    const cover = (item_id: string, policy_id: string, columns: object) =>
      studio.add('policy_assignments', { item_id, policy_id, ...columns })
    await cover(microphone, policy, { declared_value: 60, effective_end: '2026-06-30' })
    await cover(microphone, policy, { declared_value: 80, effective_start: '2026-07-01' })
    await cover(microphone, other, { declared_value: 5 })
    await cover(amplifier, policy, {})
    const declared = async (day: string, more = '') =>
      (await total(`'${day}', with_cover => true${more}`))?.declared_under_policies
    expect(await declared('2025-12-31')).toBe('5.00')
    expect(await declared('2026-06-30')).toBe('65.00')
    expect(await declared('2026-07-01')).toBe('85.00')
    expect(await declared('2027-01-01')).toBe('5.00')
    const ofPolicy = (day: string) => total(`'${day}', with_cover => true, policy_id => '${policy}'`)
    expect(await ofPolicy('2026-07-01')).toMatchObject({ items: 2, declared_under_policies: '80.00' })
    expect(await ofPolicy('2027-01-01')).toMatchObject({ items: 0, declared_under_policies: '0.00' })
    await studio.change('policies', other, { archived_at: '2026-02-01T00:00:00Z' })
    expect(await declared('2026-03-14')).toBe('65.00')
    expect(await declared('2026-03-15')).toBe('60.00')
  })

  test('by policy count an item once, under its primary one if that covers it; by each policy in every one', async () => {
    const { microphone } = await addItems()
    const add = (columns: object) => studio.add('policies', { effective_start: '2026-01-01', ...columns })
    const [first = '', second = ''] = [await add({}), await add({ effective_end: '2026-06-30' })].toSorted()
    const cover = (policy_id: string, columns: object) =>
      studio.add('policy_assignments', { item_id: microphone, policy_id, ...columns })
    await cover(first, { declared_value: 60 })
    await cover(second, { declared_value: 40, effective_end: '2026-03-31', is_primary: true })
    const by = async (grouping: string, day = '2026-03-15') => {
      const rows = await sums(`'${day}', '{total,${grouping}}', with_cover => true`)
      const shown = rows.map(({ key, items, declared_under_policies }) => [key, [items, declared_under_policies]])
      return Object.fromEntries(shown)
    }
    expect(await by('policy')).toMatchObject({ [second]: [1, '100.00'] })
    expect(await by('policy', '2026-04-01')).toMatchObject({ [first]: [1, '60.00'] })
    expect(await by('each_policy')).toMatchObject({ [first]: [1, '60.00'], [second]: [1, '40.00'] })
    const [all] = await sums(`'2026-03-15', '{total,each_policy}', with_cover => true`)
    expect(all).toMatchObject({ grouped_by: 'total', items: 4, declared_under_policies: '100.00' })
  })
})

test.each([`'{colour}'`, `'{category,colour}'`, 'null', 'array[null]::text[]'])('by %s is refused', async (by) => {
  await expect(sums(`by => ${by}`)).rejects.toMatchObject({
    code: '22023',
    message: expect.stringContaining(
      'by is of total, category, location, location_with_sublocations, coverage_state, value_source, policy, each_policy, and not ',
    ),
  })
})
