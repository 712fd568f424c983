import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let item: string

beforeEach(async () => {
  studio = await sql.studio()
  item = await studio.add('items', { purchase_price: 1000, reported_insured_value: 500 })
})

const shown = async () => {
  const { market_value, market_value_as_of, coverage_state } = await studio.get('items', item)
  const { revalue_on: _, ...valuation } = (await studio.valuation(item)) ?? { revalue_on: null }
  return { market_value, market_value_as_of, coverage_state, valuation }
}

const bought = {
  market_value: null,
  market_value_as_of: null,
  coverage_state: 'under_covered',
  valuation: {
    current_estimated_value: '1000.00',
    value_source: 'purchase_price',
    coverage_state: 'under_covered',
    gap_amount: '500.00',
  },
}

const markedDown = {
  market_value: '400.00',
  market_value_as_of: '2026-01-02 03:04:05.678+00',
  coverage_state: 'fully_covered',
  valuation: {
    current_estimated_value: '400.00',
    value_source: 'market',
    coverage_state: 'fully_covered',
    gap_amount: '-100.00',
  },
}

/** What moved while this was done: updated_at of the item, the data version. */
async function movedBy(work: () => Promise<unknown>) {
  const before = [await studio.updatedAt('items', item), await studio.dataVersion()]
  await work()
  const after = [await studio.updatedAt('items', item), await studio.dataVersion()]
  return after.map((value, n) => value > (before[n] ?? 0))
}

describe('the valuation follows', () => {
  test('a market value that is added', async () => {
    expect(await shown()).toEqual(bought)
    expect(await movedBy(() => studio.market(item, '400'))).toEqual([true, true])
    expect(await shown()).toEqual(markedDown)
  })

  test('a market value that changes', async () => {
    await studio.market(item, '700')
    expect(await movedBy(() => studio.market(item, '400'))).toEqual([true, true])
    expect(await shown()).toEqual(markedDown)
  })

  test('a market value that is removed', async () => {
    await studio.market(item, '400')
    const remove = () => studio.write((s) => s.rows('delete from app.market_values where item_id = $1', [item]))
    expect(await movedBy(remove)).toEqual([true, true])
    expect(await shown()).toEqual(bought)
  })

  test('a market value of nothing at all: it is known to be worth nothing', async () => {
    await studio.market(item, '0')
    expect(await studio.valuation(item)).toMatchObject({
      current_estimated_value: '0.00',
      value_source: 'market',
      gap_amount: '-500.00',
    })
  })
})

test('a market value that was looked up again and is the same moves its date, and so updated_at, alone', async () => {
  await studio.market(item, '400')
  const before = await studio.valuation(item)
  expect(await movedBy(() => studio.market(item, '400', '2026-02-03T04:05:06.789Z'))).toEqual([true, true])
  expect(await studio.get('items', item)).toMatchObject({ market_value_as_of: '2026-02-03 04:05:06.789+00' })
  expect(await studio.valuation(item)).toEqual(before)
})

test('what the API does not show of a market value moves nothing', async () => {
  await studio.market(item, '400')
  const rename = () => studio.write((s) => s.rows(`update app.market_values set source = 'another house'`))
  expect(await movedBy(rename)).toEqual([false, false])
})

// The wire has RFC 3339: a year of four digits.
test.each(['infinity', '-infinity', '10000-01-01T00:00:00Z', '0044-03-15T00:00:00Z BC'])(
  'a market value is not as of %s',
  async (moment) => {
    await expect(studio.market(item, '1', moment)).rejects.toMatchObject({ code: '23514' })
  },
)

describe('what is written down of former market values', () => {
  const recorded = () =>
    sql.admin.rows(
      'select day::text, value from app.market_value_history where studio_id = $1 and item_id = $2 order by id',
      [studio.id, item],
    )
  const first = { day: '2026-01-02', value: '400.00' }
  beforeEach(async () => {
    await sql.stopClock('2026-03-15T12:00:00Z')
    await studio.market(item, '400')
  })
  afterAll(() => sql.startClock())

  test('the same value with the same date is not written down again, whatever else changes', async () => {
    await studio.market(item, '400')
    await studio.write((s) => s.rows(`update app.market_values set source = 'another house', value = value`))
    expect(await recorded()).toEqual([first])
  })

  test('a look-up that finds the same value on a later day adds nothing', async () => {
    for (const day of ['2026-02-01', '2026-03-01', '2027-01-01']) await studio.market(item, '400', `${day}T12:00:00Z`)
    expect(await recorded()).toEqual([first])
  })

  test('another value is written down, also on the same day, and so is the first one when it is back', async () => {
    for (const value of ['500', '400']) await studio.market(item, value)
    expect(await recorded()).toEqual([first, { ...first, value: '500.00' }, first])
  })

  test('the same value of an earlier day is a correction: it counts from then on', async () => {
    await studio.market(item, '400', '2025-12-01T12:00:00Z')
    expect(await recorded()).toEqual([first, { day: '2025-12-01', value: '400.00' }])
  })

  test('a value that is removed and set again is known again', async () => {
    await studio.write((s) => s.rows('delete from app.market_values where item_id = $1', [item]))
    await studio.market(item, '400')
    expect(await recorded()).toEqual([first, { day: '2026-03-15', value: null }, first])
  })
})
