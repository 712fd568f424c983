import { beforeEach, describe, expect, test } from 'vitest'
import type { Columns } from '../support.ts'
import type { Switch } from './books.ts'
import { useBooks } from './use-books.ts'

const { owner, analyst, studio, open, item, change, worthOn, reconciliation } = useBooks()
beforeEach(() => open())

describe('a disposal', () => {
  // IAS 16.73: what the year opens with, what is added, what leaves, what is charged, and what it
  // closes with.
  test('ends in its year, and never rewrites the years before', async () => {
    await open(1)
    const both = { acquisition_date: '2024-01-01', useful_life_months: 48 }
    const sold = await item({ ...both, purchase_price: 12_000 })
    await item({ ...both, purchase_price: 2_400 })
    const before = await reconciliation()
    expect(before[1]).toMatchObject({ year: 2025, closing_value: '7200.00' })
    await studio().change('items', sold, { disposed_on: '2026-03-31', disposal_proceeds: 6_000 })
    const after = await reconciliation()
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2))
    expect(after[2]).toEqual({
      ...{ year: 2026, opening_cost: '14400.00', additions: '0.00' },
      ...{ disposed_cost: '12000.00', closing_cost: '2400.00' },
      ...{ opening_accumulated: '7200.00', charge: '1350.00', disposed_accumulated: '6750.00' },
      ...{ closing_accumulated: '1800.00', opening_value: '7200.00', closing_value: '600.00' },
      ...{ proceeds: '6000.00', gain: '750.00' },
    })
    expect(await worthOn(sold, '2026-03-30')).toBe('5500.00')
    expect(await analyst().rows('select from api_v1.items_on($1, $2)', ['2026-03-31', sold])).toEqual([])
  })

  test('that is recorded later counts from its own day, and one that is archived from that day', async () => {
    const both = { acquisition_date: '2026-01-01', useful_life_months: 48, purchase_price: 4_800 }
    const sold = await item(both)
    await studio().change('items', sold, { disposed_on: '2026-09-30' })
    expect((await studio().get('items', sold)).archived_at).not.toBeNull()
    const there = async (at: string) =>
      (await analyst().rows('select id from api_v1.items_on($1)', [at])).map(({ id }: Columns) => id)
    expect([await there('2026-09-29'), await there('2026-09-30'), await there('2026-10-31')]).toEqual([[sold], [], []])
    const gone = await item(both)
    await studio().change('items', gone, { archived_at: '2026-11-20T12:00:00Z' })
    expect(await there('2026-11-19')).toEqual([gone])
    const year = { disposed_cost: '9600.00', closing_value: '0.00', charge: '1900.00' }
    expect((await reconciliation())[0]).toMatchObject(year)
  })

  test('before the depreciation begins charges nothing, also of an item whose estimates changed before', async () => {
    await open(1, 'half_year')
    const sold = await item({ acquisition_date: '2026-02-10', useful_life_months: 48, purchase_price: 1_200 })
    await change(sold, { effective_on: '2026-02-20', useful_life_months: 60 })
    await studio().change('items', sold, { disposed_on: '2026-05-31' })
    expect((await reconciliation())[0]).toMatchObject({ charge: '0.00', disposed_cost: '1200.00', gain: '-1200.00' })
  })

  test.each([
    ['after today', { disposed_on: '2026-11-23' }, 'is after today'],
    ['before the acquisition', { disposed_on: '2025-12-31' }, 'disposed_of_after_acquisition'],
    ['without a day, with proceeds', { disposal_proceeds: 1 }, 'proceeds_of_a_disposal'],
  ])('%s is refused', async (_what, columns, says) => {
    const sold = await item({ acquisition_date: '2026-01-01', purchase_price: 10 })
    await expect(studio().change('items', sold, columns)).rejects.toThrow(says)
  })

  test('of an item that comes back is taken back with it', async () => {
    const sold = await item({ acquisition_date: '2026-01-01', purchase_price: 10, disposed_on: '2026-02-01' })
    await expect(studio().change('items', sold, { archived_at: null })).rejects.toThrow('disposed_of_is_archived')
    await studio().change('items', sold, { archived_at: null, disposed_on: null })
    expect(await worthOn(sold, '2026-11-22')).not.toBeUndefined()
  })
})

describe('a change of estimate', () => {
  const bought = { purchase_price: 100_000, acquisition_date: '2020-07-01', useful_life_months: 120 }

  // IAS 8.36 to 38: a change counts from its day on, from the carrying amount.
  test('that is dated leaves the years before: 70,000 after three years, then 14,000 a year over the five that remain', async () => {
    await open(7)
    const one = await item(bought)
    await change(one, { effective_on: '2023-07-01', useful_life_months: 96 })
    const years = ['2023-06-30', '2024-06-30', '2025-06-30', '2028-06-30']
    const worth = await Array.fromAsync(years, (year) => worthOn(one, year))
    expect(worth).toEqual(['70000.00', '56000.00', '42000.00', '0.00'])
  })

  test('that is not dated corrects from the beginning: 62,500', async () => {
    const one = await item(bought)
    await studio().change('items', one, { useful_life_months: 96 })
    expect(await worthOn(one, '2023-06-30')).toBe('62500.00')
  })

  test('of the method shows in the item, and is taken back', async () => {
    const one = await item(bought)
    const declining = { depreciation_method: 'declining_balance', depreciation_rate: 25 }
    const id = await change(one, { effective_on: '2023-07-01', ...declining })
    const shown = () => analyst().value('select depreciation_method from api_v1.items where id = $1', [one])
    expect([await shown(), await worthOn(one, '2024-06-30')]).toEqual(['declining_balance', '52500.00'])
    expect(JSON.parse((await studio().get<{ document: string }>('items', one)).document)).toMatchObject({
      depreciation_method: 'declining_balance',
    })
    await studio().remove('depreciation_changes', id)
    expect([await shown(), await worthOn(one, '2024-06-30')]).toEqual(['straight_line', '60000.00'])
  })

  test('after today is refused', async () => {
    const one = await item(bought)
    const changing = change(one, { effective_on: '2026-11-23', useful_life_months: 96 })
    await expect(changing).rejects.toThrow('today or earlier')
  })
})

describe('a category of the studio', () => {
  const terms = (rate: number | null, switches: Switch | null) =>
    owner().value<number>('select access.set_category_terms($1, $2, $3, $4)', [
      ...[studio().id, 'computers & software', rate, switches],
    ])

  test('gives rate and switch to its items that have none of their own, at once', async () => {
    const bought = { category: 'Computers & Software', purchase_price: 10_000, acquisition_date: '2024-01-01' }
    const declines = { ...bought, depreciation_method: 'declining_balance' }
    const [one, own] = [await item(declines), await item({ ...declines, depreciation_rate: 40 })]
    const steady = await item({ ...declines, depreciation_method: 'straight_line' })
    const before = [await worthOn(one, '2025-12-31'), await worthOn(steady, '2025-12-31')]
    const moment = await studio().updatedAt('items', own)
    expect(await terms(25, null)).toBe(1)
    expect([await worthOn(one, '2025-12-31'), await worthOn(own, '2025-12-31')]).toEqual(['5625.00', '3600.00'])
    expect(await studio().updatedAt('items', own)).toBe(moment)
    // 25 % are 2,500 in the first year, and over four years the straight line is as much.
    expect(await terms(25, 'yes')).toBe(2)
    expect(await worthOn(one, '2025-12-31')).toBe('5000.00')
    await studio().change('items', one, { switches_to_straight_line: 'no' })
    expect(await worthOn(one, '2025-12-31')).toBe('5625.00')
    await studio().change('items', one, { switches_to_straight_line: null })
    await terms(null, null)
    expect([await worthOn(one, '2025-12-31'), await worthOn(steady, '2025-12-31')]).toEqual(before)
    expect(await owner().value('select category_terms from app.studios where id = $1', [studio().id])).toBeNull()
  })
})
