import { describe, expect, test } from 'vitest'
import { minorUnits } from '../../../src/domain/vocabulary.ts'
import { inStudio } from '../session.ts'
import { type Studio, useSql } from '../support.ts'

const sql = useSql()
const read = (studio: Studio, text: string, values: unknown[] = []) =>
  inStudio(sql.owner, studio, (session) => session.rows(text, values))

const ago = (studio: Studio, age: string) =>
  sql.owner.value('select (access.studio_today($1) - $2::interval)::date::text', [studio.id, age])

// 10,000 over 36 months, after nine: 7,500. Declared for 2,777.775 and for that rounded.
const amounts = [
  { currency: 'JPY', price: '10000', declared: '2778', half: '3333', gap: '4722', none: '0' },
  { currency: 'EUR', price: '10000.00', declared: '2777.78', half: '3333.33', gap: '4722.22', none: '0.00' },
  { currency: 'KWD', price: '10000.000', declared: '2777.775', half: '3333.333', gap: '4722.225', none: '0.000' },
]

test.each(amounts)('$currency: amounts have its decimals in every answer', async ({ currency, ...wanted }) => {
  const { price, declared, half, gap, none } = wanted
  const studio = await sql.studio({ currency })
  const depreciates = { purchase_price: 10000, depreciation_method: 'straight_line', useful_life_months: 36 }
  const item = await studio.add('items', {
    ...{ ...depreciates, residual_value: 0, reported_insured_value: declared },
    acquisition_date: await ago(studio, '9 months'),
  })
  const old = { ...depreciates, residual_value: half, acquisition_date: '2020-01-01' }
  const third = await studio.add('items', old)
  const policy = await studio.add('policies', { overall_limit: 10000, deductible: 0, effective_start: '2020-01-01' })
  await studio.add('policy_assignments', { item_id: item, policy_id: policy, declared_value: declared })
  await studio.add('maintenance_records', { item_id: item, cost: 0 })
  await studio.market(third, half)

  const said = async (operation: string, ...values: unknown[]) => {
    const { data } = await studio.ask(operation, ...values)
    return String(data).match(/"[a-z_]+":-?[\d.]+(?=[,}])/g)
  }
  const worth = price.replace('10000', '7500')
  const ofItem = [`"purchase_price":${price}`, `"reported_insured_value":${declared}`]
  expect(await said('get_item', item)).toEqual([...ofItem, `"current_estimated_value":${worth}`, `"gap_amount":${gap}`])
  expect(await said('get_item', third)).toContain(`"current_estimated_value":${half}`)
  expect(await said('list_items', '1', '50')).toEqual(expect.arrayContaining(ofItem))
  expect(await said('list_valuations', '1', '50')).toEqual(expect.arrayContaining([...ofItem, `"gap_amount":${gap}`]))
  expect(await said('list_maintenance', '1', '50')).toEqual([`"cost":${none}`])
  const limits = [`"overall_limit":${price}`, `"deductible":${none}`]
  expect(await said('list_policies', '1', '50')).toEqual(limits)
  expect(await said('get_policy', policy)).toEqual([...limits, '"assignments_count":1'])
  expect(await said('list_item_policies', item)).toEqual([`"declared_value":${declared}`])
  expect(await said('list_policy_items', policy, '1', '50')).toEqual([`"declared_value":${declared}`])
  const sums = [`"reported_insured_value":${declared}`, `"over_declared":${none}`]
  expect(await said('get_valuation_summary', null, null, 'category')).toEqual(expect.arrayContaining(sums))

  const years = 'select opening_value as opening, proceeds from api_v1.depreciation_years order by year_start'
  expect((await read(studio, years))[0]).toEqual({ opening: none, proceeds: none })
  const register = `select closing_value, gain from api_v1.depreciation_schedule('2020-01-01', '2040-12-31') order by item_id = $1`
  expect(await read(studio, register, [third])).toEqual([
    { closing_value: none, gain: none },
    { closing_value: half, gain: none },
  ])
})

test('the service knows the decimals that the database knows, of every currency', async () => {
  const codes = Intl.supportedValuesOf('currency')
  const known = await sql.owner.rows<{ code: string; places: number }>(
    'select code, app.minor_units(code) as places from unnest($1::text[]) as code where app.minor_units(code) is not null',
    [codes],
  )
  expect(known.length).toBeGreaterThan(150)
  expect(known.map(({ code }) => [code, minorUnits(code)])).toEqual(known.map(({ code, places }) => [code, places]))
})

describe('a currency that is corrected', () => {
  const correct = (studio: Studio, currency: string) =>
    sql.owner.rows('select access.set_currency($1, $2)', [studio.id, currency])
  test('shows the same numbers with its decimals, rounds values to them, and moves what shows them', async () => {
    const studio = await sql.studio({ currency: 'EUR' })
    const item = await studio.add('items', {
      ...{ purchase_price: 1000, depreciation_method: 'straight_line', useful_life_months: 36, residual_value: 0 },
      acquisition_date: await ago(studio, '1 month'),
    })
    const sold = await studio.add('items', { acquisition_date: '2025-12-01' })
    await studio.market(sold, '12.50', '2026-01-02')
    await studio.market(sold, '13', '2026-02-02')
    const record = await studio.add('maintenance_records', { item_id: item, cost: 5 })
    const policy = await studio.add('policies', { deductible: 7, effective_start: '2020-01-01' })
    expect(await studio.valuation(item)).toMatchObject({ current_estimated_value: '972.22' })
    const shown = [
      ['items', item],
      ['items', sold],
      ['maintenance_records', record],
      ['policies', policy],
    ] as const
    const moments = () => Array.fromAsync(shown, ([table, id]) => studio.updatedAt(table, id))
    const before = await moments()
    await correct(studio, 'GBP')
    expect(await moments()).toEqual(before)

    await correct(studio, 'JPY')
    for (const [at, moment] of (await moments()).entries()) expect(moment).toBeGreaterThan(before[at] ?? 0)
    expect(await studio.valuation(item)).toMatchObject({ current_estimated_value: '972', gap_amount: '972' })
    expect(await studio.valuation(sold)).toMatchObject({ current_estimated_value: '13', gap_amount: '13' })
    expect((await studio.ask('list_items', '1', '50')).data).toContain('"purchase_price":1000,')
    expect((await studio.ask('list_maintenance', '1', '50')).data).toContain('"cost":5,')
    expect((await studio.ask('list_policies', '1', '50')).data).toContain('"deductible":7,')
    const on = `select current_estimated_value as value from api_v1.items_on('2026-01-10', $1)`
    expect(await read(studio, on, [sold])).toEqual([{ value: '13' }])
  })

  test('waits for items that others are adding, and they wait for it, so that none has other decimals', async () => {
    const [studio, later] = [await sql.studio({ currency: 'KWD' }), await sql.studio({ currency: 'EUR' })]
    const [adding, changing] = [await sql.connect('studio_writer'), await sql.connect('studio_owner')]
    const add = `insert into app.items (studio_id, name, purchase_price) values ($1, 'An item', 12.555)`
    const change = 'select access.set_currency($1, $2)'

    await adding.begin(studio)
    await adding.rows(add, [studio.id])
    const refused = expect(changing.rows(change, [studio.id, 'EUR'])).rejects.toMatchObject({ code: '22023' })
    await sql.blocked(changing)
    await adding.rows('commit')
    await refused

    await changing.rows('begin')
    await changing.rows(change, [later.id, 'JPY'])
    await adding.begin(later)
    const added = adding.rows(add, [later.id])
    await sql.blocked(adding)
    await changing.rows('commit')
    await added
    await adding.rows('commit')
    const values = `select i.purchase_price, v.current_estimated_value from app.items i
      join app.item_valuations v on v.item_id = i.id`
    expect(await read(later, values)).toEqual([{ purchase_price: '13', current_estimated_value: '13' }])
  })
})
