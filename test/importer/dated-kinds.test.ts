import { describe, expect, test } from 'vitest'
import { expectDone, sentences, useImporter } from './support.ts'

const importer = useImporter()

async function studioWithItem() {
  const studio = await importer.studio()
  await importer.into(studio, 'items', 'external_key,name,reported_insured_value\nI1,one,100\nI2,two,100\n')
  return studio
}

describe('maintenance', () => {
  test('the day of completion is there exactly when it is completed, also over two files', async () => {
    const studio = await studioWithItem()
    const missing = 'is missing although status is completed; write the day of completion'
    const surplus = (day: string) =>
      `is not completed although completed_date is ${day}; write completed, or leave completed_date empty`
    const file =
      'external_key,item,title,status,completed_date\nA,I1,a,completed,\nB,I1,b,,2024-01-03\nC,I1,c,scheduled,\n'
    expect(sentences(await importer.into(studio, 'maintenance', file))).toEqual([
      `line 2, completed_date: ${missing}`,
      `line 3, status "scheduled": ${surplus('2024-01-03')}`,
    ])
    const dated = 'external_key,item,title,completed_date\nA,I1,a,2024-01-03\n'
    expect(sentences(await importer.into(studio, 'maintenance', dated))).toEqual([
      `line 2, status "scheduled": ${surplus('2024-01-03')}`,
    ])
    await importer.into(studio, 'maintenance', 'external_key,item,title\nA,I1,a\n')
    expect(sentences(await importer.into(studio, 'maintenance', 'external_key,status\nA,completed\n'))).toEqual([
      `line 2, completed_date: ${missing}`,
    ])
    const both = 'external_key,status,completed_date\nA,completed,2024-01-03\n'
    expectDone(await importer.into(studio, 'maintenance', both), { changed: 1 })
    expect(sentences(await importer.into(studio, 'maintenance', 'external_key,completed_date\nA,\n'))).toEqual([
      `line 2, completed_date: ${missing}`,
    ])
  })
})

describe('market values', () => {
  const file = 'item,value,as_of,source\nI1,150.5,2024-06-30,Index\nI2,20,2024-06-30T12:00:00+02:00,\n'
  const stored = 'value, as_of, source'

  test('the same file again changes nothing, and a changed line one item', async () => {
    const studio = await studioWithItem()
    await importer.into(studio, 'market-values', file)
    const [items, version] = [await importer.rows(studio, 'items', '*'), await studio.dataVersion()]
    const history = () =>
      importer.admin.rows('select value, day::text from app.market_value_history where studio_id = $1 order by id', [
        studio.id,
      ])
    const known = [
      { value: '150.50', day: '2024-06-30' },
      { value: '20.00', day: '2024-06-30' },
    ]
    expect(await history()).toEqual(known)
    expectDone(await importer.into(studio, 'market-values', file), { unchanged: 2 })
    const renamed = file.replace('Index', 'Another index')
    expect(await importer.rows(studio, 'items', '*')).toEqual(items)
    expectDone(await importer.into(studio, 'market-values', renamed), { changed: 1 })
    expect(await history()).toEqual(known)
    expect(await studio.dataVersion()).toBe(version)
    expectDone(await importer.into(studio, 'market-values', 'item,value\nI2,21\n'), { changed: 1 })
    expect(await history()).toEqual([...known, { value: '21.00', day: '2024-06-30' }])
    expect((await importer.rows(studio, 'items', '*'))[0]).toEqual(items[0])
    expect((await importer.rows(studio, 'market_values', stored)).map((row) => row.value).sort()).toEqual([
      '150.50',
      '21.00',
    ])
  })

  test.each([
    ['America/New_York', '2026-04-01', '2026-04-01 04:00:00+00'],
    ['Asia/Tokyo', '2026-04-01', '2026-03-31 15:00:00+00'],
    ['Asia/Tokyo', '2026-04-01T12:00', '2026-04-01 03:00:00+00'],
    ['Asia/Tokyo', '2026-04-01T12:00:00Z', '2026-04-01 12:00:00+00'],
  ])('in %s, %s counts from that day on, and not the day before', async (timezone, asOf, stored) => {
    const studio = await importer.studio({ timezone })
    const bought =
      'external_key,name,purchase_price,acquisition_date,depreciation_method,useful_life_months,residual_value'
    await importer.into(studio, 'items', `${bought}\nA,Desk,12000,2024-10-31,straight_line,48,0\n`)
    expectDone(await importer.into(studio, 'market-values', `item,value,as_of\nA,9999.00,${asOf}\n`), { added: 1 })
    expect(await importer.rows(studio, 'market_values', `(as_of at time zone 'UTC')::text || '+00' as as_of`)).toEqual([
      { as_of: stored },
    ])
    const analyst = await importer.connect('studio_graphql')
    await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
    const on = (day: string) => analyst.value('select current_estimated_value::text from api_v1.items_on($1)', [day])
    expect([await on('2026-03-31'), await on('2026-04-01')]).toEqual(['7750.00', '9999.00'])
  })

  test('an item has one, however it is named', async () => {
    const studio = await studioWithItem()
    const [first] = await importer.rows<{ id: string }>(studio, 'items', 'id')
    const outcome = await importer.into(
      studio,
      'market-values',
      `item,value,as_of\nI1,1,2024-01-01\n${first?.id},2,2024-01-02\nI9,,\n`,
    )
    expect(sentences(outcome)).toEqual([
      `line 3, item "${first?.id}": is already on line 2; give each row its own key`,
      'line 4, as_of: is empty; write a value such as 2024-06-30',
      'line 4, item "I9": matches nothing in this studio; write the external key or id of an item that exists',
      'line 4, value: is empty; write a value such as 2890.00',
    ])
  })
})
