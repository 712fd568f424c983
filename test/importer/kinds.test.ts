import { describe, expect, test } from 'vitest'
import type { Studio } from '../sql/support.ts'
import { expectDone, useImporter } from './support.ts'

const importer = useImporter()

const parent = '(select p.external_key from app.locations p where p.id = locations.parent_id)'
const tree = `concat_ws(', ', external_key, name, ${parent}) as row, is_default`

describe('parents', () => {
  test('are rows of the file in any order, by key or name, or locations that are there', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', 'external_key,name\nOLD,Old house\n')
    const file = 'external_key,name,parent\nC,Rack,Control room\nB,Control room,A\nA,House,Old house\n'
    expectDone(await importer.into(studio, 'locations', file), { added: 3 })
    const rows = ['A, House, OLD', 'B, Control room, A', 'C, Rack, B', 'OLD, Old house']
    const found = (await importer.rows(studio, 'locations', tree)).slice(0, 4)
    expect(found).toEqual(rows.map((row) => ({ row, is_default: false })))
    expectDone(await importer.into(studio, 'locations', file), { unchanged: 3 })
  })

  test('lead to no circle, of one row, of the file or with what is there', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', 'external_key,name,parent\nX,x,Y\nY,y,\n')
    const file = 'external_key,name,parent\nA,a,B\nB,b,C\nC,c,A\nD,d,D\nY,y,X\nE,e,A\n'
    expect(await importer.wrong(studio, 'locations', file)).toEqual(
      ['2, parent "B"', '3, parent "C"', '4, parent "A"', '5, parent "D"', '6, parent "X"'].map(
        (place) => `line ${place}: makes the location a part of itself; let it be part of another, or of none`,
      ),
    )
  })
})

describe('the default location', () => {
  const file = (...rows: string[]) => `external_key,name,is_default\n${rows.join('\n')}\n`
  const defaults = async (studio: Studio) =>
    (await importer.rows<{ key: string; is_default: boolean }>(studio, 'locations', 'external_key as key, is_default'))
      .filter((row) => row.is_default)
      .map((row) => row.key)

  test('that came with the studio becomes the first that is imported', async () => {
    const studio = await importer.studio()
    expectDone(await importer.into(studio, 'locations', file('H,House,yes', 'R,Room,')), { added: 1, changed: 1 })
    expect(await defaults(studio)).toEqual(['H'])
    expectDone(await importer.into(studio, 'locations', file('H,House,yes', 'R,Room,')), { unchanged: 2 })
    expect(await importer.rows(studio, 'locations', 'name')).toEqual([{ name: 'House' }, { name: 'Room' }])
  })

  test('moves to another row, whether the file has the previous one or not', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', file('A,a,yes', 'B,b,no'))
    expectDone(await importer.into(studio, 'locations', file('A,a,no', 'B,b,yes')), { changed: 2 })
    expect(await defaults(studio)).toEqual(['B'])
    expectDone(await importer.into(studio, 'locations', file('C,c,yes')), { added: 1 })
    expect(await defaults(studio)).toEqual(['C'])
    expectDone(await importer.into(studio, 'locations', 'external_key,name\nA,x\nB,b\nC,c\n'), { changed: 1 })
    expect(await defaults(studio)).toEqual(['C'])
  })

  test('is one, and cannot be given up', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'locations', file('A,a,yes'))
    expect(await importer.wrong(studio, 'locations', file('A,a,', 'B,b,'))).toEqual([
      'line 2, is_default "no": takes the default away from the location that has it; a studio needs one default location: write yes in another row',
    ])
    expect(await importer.wrong(studio, 'locations', file('A,a,yes', 'B,b,1', 'C,c,true'))).toEqual([
      'line 3, is_default "yes": makes a second default location; the first is on line 2; leave it to one row',
      'line 4, is_default "yes": makes a second default location; the first is on line 2; leave it to one row',
    ])
  })
})

describe('on a Pro plan', () => {
  test('the one location can be described, and more are refused line by line', async () => {
    const studio = await importer.studio({ plan: 'pro' })
    const one = 'external_key,name,city,is_default\nH,House,Leeds,yes\n'
    expectDone(await importer.into(studio, 'locations', one), { changed: 1 })
    const more = 'external_key,name,city\nH,House,York\nB,b,\nC,c,\n'
    const says =
      'is a new location, and more than one needs the Studio plan; on other plans import one row with is_default yes: the location that the studio has'
    const wrong = [`line 3, external_key "B": ${says}`, `line 4, external_key "C": ${says}`]
    expect(await importer.wrong(studio, 'locations', more)).toEqual(wrong)
    expect(await importer.rows(studio, 'locations', 'city')).toEqual([{ city: 'Leeds' }])
  })

  test('an item at another location is refused, and the message names the plan', async () => {
    const studio = await importer.studio({ plan: 'pro' })
    const file = 'external_key,name,location\nA,Synth,Attic\n'
    expect((await importer.wrong(studio, 'items', file)).join()).toContain(
      'this studio has one location, because more than one needs the Studio plan: leave the column out, or write that location',
    )
  })
})

/** A studio with three items and two policies. */
async function insured(): Promise<Studio> {
  const studio = await importer.studio()
  await importer.into(studio, 'items', 'external_key,name,reported_insured_value\nI1,one,100\nI2,two,100\nI3,three,\n')
  await importer.into(studio, 'policies', 'external_key,name,effective_start\nP1,first,2020-01-01\nP2,second,\n')
  return studio
}

describe('policies', () => {
  test('an unrecognised type is kept, and a note says that the API shows null', async () => {
    const studio = await importer.studio()
    const notes = ["1 of the file's policies have a policy_type that the API shows as null (first: line 3)"]
    const file = 'external_key,name,policy_type\nA,a,umbrella\nB,b,cyber\n'
    expectDone(await importer.into(studio, 'policies', file), { added: 2, notes })
  })

  test('do not end before they begin, also when the file has one of the dates only', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'policies', 'external_key,name,effective_start,effective_end\nA,a,2024-01-01,\n')
    const wrong = (end: string, start: string) => [
      `line 2, effective_end "${end}": is before effective_start, ${start}; correct one of the two`,
    ]
    const early = await importer.wrong(studio, 'policies', 'external_key,effective_end\nA,2023-12-31\n')
    expect(early).toEqual(wrong('2023-12-31', '2024-01-01'))
    expectDone(await importer.into(studio, 'policies', 'external_key,effective_end\nA,2024-01-01\n'), { changed: 1 })
    const late = await importer.wrong(studio, 'policies', 'external_key,effective_start\nA,2024-01-02\n')
    expect(late).toEqual(wrong('2024-01-01', '2024-01-02'))
  })
})

describe('assignments', () => {
  const header = 'external_key,item,policy,is_primary\n'
  const stored = `concat_ws(' ', external_key, (select i.external_key from app.items i where i.id = item_id),
    (select p.external_key from app.policies p where p.id = policy_id), is_primary) as row`

  const second = (line: number, item: string, first: string) =>
    `line ${line}, is_primary "yes": is a second primary assignment of the item ${item}, after ${first}; let one of them be primary`

  test('one of an item is primary, in the file and with what is there', async () => {
    const studio = await insured()
    const both = `${header}A,I1,P1,yes\nB,I1,P2,yes\nC,I2,P1,yes\n`
    expect(await importer.wrong(studio, 'assignments', both)).toEqual([second(3, 'I1', 'the one on line 2')])
    await importer.into(studio, 'assignments', `${header}A,I1,P1,yes\n`)
    const other = await importer.wrong(studio, 'assignments', `${header}B,I1,P2,yes\n`)
    expect(other).toEqual([second(2, 'I1', 'A, which already exists')])
  })

  test('the primary one changes places within a file', async () => {
    const studio = await insured()
    await importer.into(studio, 'assignments', `${header}A,I1,P1,yes\nB,I1,P2,no\nC,I2,P1,yes\nD,I3,P1,yes\n`)
    const turned = `${header}B,I1,P2,yes\nA,I1,P1,no\nC,I3,P1,yes\nD,I2,P1,yes\n`
    expectDone(await importer.into(studio, 'assignments', turned), { changed: 4 })
    const found = (await importer.rows(studio, 'policy_assignments', stored)).map(({ row }) => row)
    expect(found).toEqual(['A I1 P1 f', 'B I1 P2 t', 'C I3 P1 t', 'D I2 P1 t'])
    const taken = `${header}X,I1,P1,yes\nB,I1,P2,no\n`
    expectDone(await importer.into(studio, 'assignments', taken), { added: 1, changed: 1 })
  })

  test('the file need not have the column: a primary one that moves to an item with another is refused', async () => {
    const studio = await insured()
    await importer.into(studio, 'assignments', `${header}A,I1,P1,yes\nB,I2,P1,yes\n`)
    const moved = await importer.wrong(studio, 'assignments', 'external_key,item\nA,I2\n')
    expect(moved).toEqual([second(2, 'I2', 'B, which already exists')])
    expectDone(await importer.into(studio, 'assignments', 'external_key,item\nA,I2\nB,I1\n'), { changed: 2 })
  })

  test('need an item and a policy of the studio, and a window that does not end before it begins', async () => {
    const studio = await insured()
    const file =
      'external_key,item,policy,effective_start,effective_end\nA,,P1,,\nB,I9,P9,,\nC,I1,P1,2024-02-01,2024-01-31\n'
    expect(await importer.wrong(studio, 'assignments', file)).toEqual([
      'line 2, item: is empty; write a value such as MIC-001',
      'line 3, item "I9": matches nothing in this studio; write the external key or id of an item that exists',
      'line 3, policy "P9": matches nothing in this studio; write the external key or id of a policy that exists',
      'line 4, effective_end "2024-01-31": is before effective_start, 2024-02-01; correct one of the two',
    ])
  })
})

test('the day of completion is there exactly when maintenance is completed, also over two files', async () => {
  const studio = await insured()
  const missing = (line: number) =>
    `line ${line}, completed_date: is missing although status is completed; write the day of completion`
  const surplus = (line: number) =>
    `line ${line}, status "scheduled": is not completed although completed_date is 2024-01-03; write completed, or leave completed_date empty`
  const wrong = (...lines: string[]) => importer.wrong(studio, 'maintenance', lines.join('\n'))
  const named = 'external_key,item,title,status,completed_date'
  const rows = ['A,I1,a,completed,', 'B,I1,b,scheduled,2024-01-03', 'C,I1,c,scheduled,']
  expect(await wrong(named, ...rows)).toEqual([missing(2), surplus(3)])
  await importer.into(studio, 'maintenance', 'external_key,item,title\nA,I1,a\n')
  expect(await wrong('external_key,status', 'A,completed')).toEqual([missing(2)])
  const both = 'external_key,status,completed_date\nA,completed,2024-01-03\n'
  expectDone(await importer.into(studio, 'maintenance', both), { changed: 1 })
  expectDone(await importer.into(studio, 'maintenance', 'external_key,completed_date\nA,\n'), { changed: 1 })
})

test('maintenance with a day of completion and no status is completed, and without one it is scheduled', async () => {
  const studio = await insured()
  const statuses = () => importer.rows(studio, 'maintenance_records', 'external_key, status')
  const wanted = [
    { external_key: 'A', status: 'completed' },
    { external_key: 'B', status: 'scheduled' },
  ]
  const file = 'external_key,item,title,completed_date\nA,I1,a,2024-01-03\nB,I1,b,\n'
  expectDone(await importer.into(studio, 'maintenance', file), { added: 2 })
  expect(await statuses()).toEqual(wanted)
  const named = 'external_key,item,title,status,completed_date\nA,I1,a,,2024-01-03\nB,I1,b,,\n'
  expectDone(await importer.into(studio, 'maintenance', named), { unchanged: 2 })
})

describe('market values', () => {
  const file = 'item,value,as_of,source\nI1,150.5,2024-06-30,Index\nI2,20,2024-06-30T12:00:00+02:00,\n'
  test('the same file again changes nothing, and a changed line one item', async () => {
    const studio = await insured()
    await importer.into(studio, 'market-values', file)
    const [items, version] = [await importer.rows(studio, 'items', '*'), await studio.dataVersion()]
    const history = () =>
      importer.admin.rows('select value, day::text from app.market_value_history where studio_id = $1 order by id', [
        studio.id,
      ])
    const known = ['150.50', '20.00'].map((value) => ({ value, day: '2024-06-30' }))
    expect(await history()).toEqual(known)
    expectDone(await importer.into(studio, 'market-values', file), { unchanged: 2 })
    expect(await importer.rows(studio, 'items', '*')).toEqual(items)
    const renamed = file.replace('Index', 'Another index')
    expectDone(await importer.into(studio, 'market-values', renamed), { changed: 1 })
    expect(await history()).toEqual(known)
    expect(await studio.dataVersion()).toBe(version)
    expectDone(await importer.into(studio, 'market-values', 'item,value\nI2,21\n'), { changed: 1 })
    expect(await history()).toEqual([...known, { value: '21.00', day: '2024-06-30' }])
    expect((await importer.rows(studio, 'items', '*'))[0]).toEqual(items[0])
    const values = (await importer.rows(studio, 'market_values', 'value')).map(({ value }) => value)
    expect(values.toSorted()).toEqual(['150.50', '21.00'])
  })

  test.each([
    ['America/New_York', '2026-04-01', '2026-04-01 04:00:00+00'],
    ['Asia/Tokyo', '2026-04-01', '2026-03-31 15:00:00+00'],
    ['Asia/Tokyo', '2026-04-01T12:00', '2026-04-01 03:00:00+00'],
    ['Asia/Tokyo', '2026-04-01T12:00:00Z', '2026-04-01 12:00:00+00'],
  ])('in %s, %s counts from that day on, and not the day before', async (timezone, asOf, stored) => {
    const studio = await importer.studio({ timezone })
    const terms = { depreciation_method: 'straight_line', useful_life_months: 48, residual_value: 0 }
    const bought = { external_key: 'A', name: 'Desk', purchase_price: 12_000, acquisition_date: '2024-10-31' }
    await studio.add('items', { ...bought, ...terms })
    expectDone(await importer.into(studio, 'market-values', `item,value,as_of\nA,9999.00,${asOf}\n`), { added: 1 })
    const found = await importer.rows(studio, 'market_values', `(as_of at time zone 'UTC')::text || '+00' as as_of`)
    expect(found).toEqual([{ as_of: stored }])
    const analyst = await importer.connect('studio_graphql')
    await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
    const on = (day: string) => analyst.value('select current_estimated_value::text from api_v1.items_on($1)', [day])
    expect([await on('2026-03-31'), await on('2026-04-01')]).toEqual(['7750.00', '9999.00'])
  })

  test('an item has one, however it is named', async () => {
    const studio = await insured()
    const [first] = await importer.rows<{ id: string }>(studio, 'items', 'id')
    const file = `item,value,as_of\nI1,1,2024-01-01\n${first?.id},2,2024-01-02\nI9,,\n`
    expect(await importer.wrong(studio, 'market-values', file)).toEqual([
      `line 3, item "${first?.id}": is already on line 2; give each row its own key`,
      'line 4, as_of: is empty; write a value such as 2024-06-30',
      'line 4, item "I9": matches nothing in this studio; write the external key or id of an item that exists',
      'line 4, value: is empty; write a value such as 2890.00',
    ])
  })
})
