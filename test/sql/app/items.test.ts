import { describe, expect, test } from 'vitest'
import { useSql } from '../support.ts'

const sql = useSql()

const neutral: [column: string, value: unknown][] = [
  ['manufacturer', ''],
  ['model', ''],
  ['serial_number', ''],
  ['barcode', ''],
  ['category', 'Other / Uncategorised'],
  ['tags', []],
  ['purchase_price', '0.00'],
  ['depreciation_method', 'none'],
  ['reported_insured_value', '0.00'],
]

describe('what the contract says is never null', () => {
  test('has a neutral value when nothing is given', async () => {
    const studio = await sql.studio()
    expect(await studio.get('items', await studio.add('items'))).toMatchObject(Object.fromEntries(neutral))
  })

  test.each(neutral)('%s cannot be set to null', async (column) => {
    const studio = await sql.studio()
    const id = await studio.add('items')
    const code = column === 'category' ? '23514' : '23502'
    await expect(studio.add('items', { [column]: null })).rejects.toMatchObject({ code })
    await expect(studio.change('items', id, { [column]: null })).rejects.toMatchObject({ code })
  })

  test('a name is not empty', async () => {
    const studio = await sql.studio()
    await expect(studio.add('items', { name: '' })).rejects.toMatchObject({ code: '23514' })
  })

  test('acquisition_date and market_value_as_of have no honest neutral value and are null when unknown', async () => {
    const studio = await sql.studio()
    const id = await studio.add('items')
    expect(await studio.get('items', id)).toMatchObject({ acquisition_date: null, market_value_as_of: null })
  })

  test('no tag is null, and tags are a plain list', async () => {
    const studio = await sql.studio()
    await expect(studio.add('items', { tags: ['a', null] })).rejects.toMatchObject({ code: '23514' })
    await expect(
      studio.add('items', {
        tags: [
          ['a', 'b'],
          ['c', 'd'],
        ],
      }),
    ).rejects.toThrow()
    const id = await studio.add('items', { tags: ['ribbon', 'em—dash', ''] })
    expect(await studio.get('items', id)).toMatchObject({ tags: ['ribbon', 'em—dash', ''] })
  })
})

describe('vocabularies', () => {
  test.each(['', 'None', 'sum_of_years', 'straight-line'])('a depreciation method may not be %j', async (method) => {
    const studio = await sql.studio()
    await expect(studio.add('items', { depreciation_method: method })).rejects.toMatchObject({ code: '23514' })
  })

  test.each([0, -1])('a useful life may not be %i months', async (useful_life_months) => {
    const studio = await sql.studio()
    await expect(studio.add('items', { useful_life_months })).rejects.toMatchObject({ code: '23514' })
  })
})

describe('dates', () => {
  test.each(['1877-12-06', '2000-02-29', '2024-12-31', '2025-03-30', '9999-12-31'])(
    '%s comes back as it was written, whatever the time zone of the session',
    async (acquisition_date) => {
      const studio = await sql.studio({ timezone: 'Pacific/Kiritimati' })
      for (const zone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
        const stored = await studio.write(async (session) => {
          await session.rows(`select set_config('timezone', $1, true)`, [zone])
          return session.row(
            `insert into app.items (studio_id, name, acquisition_date) values ($1, 'x', $2) returning acquisition_date`,
            [studio.id, acquisition_date],
          )
        })
        expect(stored).toEqual({ acquisition_date })
      }
    },
  )

  // The wire has YYYY-MM-DD: four digits and no era.
  test.each(['10000-01-01', '0044-03-15 BC', '294277-01-01', 'infinity', '-infinity'])(
    '%s is no acquisition date',
    async (acquisition_date) => {
      const studio = await sql.studio()
      await expect(studio.add('items', { acquisition_date })).rejects.toMatchObject({ code: '23514' })
      const valued = { acquisition_date, depreciation_method: 'straight_line', purchase_price: 100 }
      await expect(studio.add('items', valued)).rejects.toMatchObject({
        code: expect.stringMatching(/^(23514|22008)$/),
      })
    },
  )
})
