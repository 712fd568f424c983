import { describe, expect, test } from 'vitest'
import { expectDone, useImporter } from './support.ts'

const importer = useImporter()

const all =
  'external_key,name,manufacturer,model,serial_number,barcode,category,tags,location,purchase_price,acquisition_date,' +
  'depreciation_method,useful_life_months,residual_value,manual_value,replacement_cost,reported_insured_value,archived'

const stored = `external_key, name, manufacturer, model, serial_number, barcode, category, tags, purchase_price,
  acquisition_date, depreciation_method, useful_life_months, residual_value, manual_value, replacement_cost,
  reported_insured_value, archived_at is not null as archived`

const defaults = {
  ...{ manufacturer: '', model: '', serial_number: '', barcode: '', category: 'Other / Uncategorised', tags: [] },
  ...{ purchase_price: '0.00', acquisition_date: null, depreciation_method: 'none', useful_life_months: null },
  ...{ residual_value: null, manual_value: null, replacement_cost: null, reported_insured_value: '0.00' },
  archived: false,
}

const full =
  'A,Mic,Neumann,U 87,104512,4006381333931,mICROPHONES,tube|vocals,,2650.5,2021-03-15,STRAIGHT_LINE,180,800,900.25,3190,2500,no'

const imported = {
  ...{ external_key: 'A', name: 'Mic', manufacturer: 'Neumann', model: 'U 87', serial_number: '104512' },
  ...{ barcode: '4006381333931', category: 'Microphones', tags: ['tube', 'vocals'], purchase_price: '2650.50' },
  ...{ acquisition_date: '2021-03-15', depreciation_method: 'straight_line', useful_life_months: 180 },
  ...{ residual_value: '800.00', manual_value: '900.25', replacement_cost: '3190.00' },
  ...{ reported_insured_value: '2500.00', archived: false },
}

describe('what a file contains', () => {
  test('a new row takes the defaults for columns that the file does not have, and for empty cells', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'items', 'external_key,name\nA,One\n')
    await importer.into(studio, 'items', `${all}\nB,Two,,,,,,,,,,,,,,,,\n`)
    expect(await importer.rows(studio, 'items', stored)).toEqual([
      { ...defaults, external_key: 'A', name: 'One' },
      { ...defaults, external_key: 'B', name: 'Two' },
    ])
  })

  test('every column is stored, and valued; a missing column changes nothing; an empty cell empties the field', async () => {
    const studio = await importer.studio()
    expectDone(await importer.into(studio, 'items', `${all}\n${full}\n`), { rows: 1, added: 1 })
    expect(await importer.rows(studio, 'items', stored)).toEqual([imported])
    const [{ id } = { id: '' }] = await importer.rows<{ id: string }>(studio, 'items', 'id')
    expect(await studio.valuation(id)).toMatchObject({ value_source: 'manual', coverage_state: 'fully_covered' })
    expect((await studio.ask('list_items', 1, 50, null, null, null)).total).toBe('1')
    expectDone(await importer.into(studio, 'items', 'reported_insured_value,external_key\n3000,A\n'), { changed: 1 })
    expect(await importer.rows(studio, 'items', stored)).toEqual([{ ...imported, reported_insured_value: '3000.00' }])
    expectDone(await importer.into(studio, 'items', `${all}\nA,Mic,,,,,,,,,,,,,,,,\n`), { changed: 1 })
    expect(await importer.rows(studio, 'items', stored)).toEqual([{ ...defaults, external_key: 'A', name: 'Mic' }])
  })

  test('a name is needed by new rows only, and that is reported once', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'items', 'external_key,name\nA,One\n')
    expect(await importer.wrong(studio, 'items', 'external_key,model\nA,x\nB,y\nC,z\n')).toEqual([
      'line 1, name: is missing from the header, and 2 rows are new and need it (first: line 3); add the column',
    ])
    expectDone(await importer.into(studio, 'items', 'external_key,model\nA,x\n'), { changed: 1 })
  })

  test('a text that is longer than its column takes is refused with its line, and the longest is stored', async () => {
    const studio = await importer.studio()
    const file = (name: string, tags: string) => `external_key,name,tags\nA,One,\nB,${name},${tags}\n`
    const tags = Array.from({ length: 100 }, (_, at) => String(at).padEnd(99, 'é')).join('|')
    const wrong = await importer.wrong(studio, 'items', file('x'.repeat(501), `${tags}|${'y'.repeat(101)}`))
    expect(wrong).toEqual([
      expect.stringMatching(/^line 3, name "x+…": is longer than 500 characters; shorten it$/),
      expect.stringMatching(/^line 3, tags ".*": is longer than 10000 characters; shorten it$/),
    ])
    expectDone(await importer.into(studio, 'items', file('é'.repeat(500), tags)), { added: 2 })
  })

  test('a location is named by its external key, its id or its name', async () => {
    const studio = await importer.studio()
    const room = await studio.add('locations', { external_key: 'ROOM', name: 'Live room' })
    for (const external_key of ['TWIN-1', 'TWIN-2']) await studio.add('locations', { external_key, name: 'Twin' })
    const file = `external_key,name,location\nA,a,ROOM\nB,b,Live room\nC,c,${room.toUpperCase()}\nD,d,\n`
    expectDone(await importer.into(studio, 'items', file), { added: 4 })
    const locations = await importer.rows<{ location_id: string | null }>(studio, 'items', 'location_id')
    expect(locations.map((row) => row.location_id)).toEqual([room, room, room, null])

    const wrong = 'external_key,name,location\nA,a,Twin\nB,b,live room\nC,c,Nowhere\n'
    const nothing = 'matches nothing in this studio; write the external key, id or name of a location that exists'
    expect(await importer.wrong(studio, 'items', wrong)).toEqual([
      'line 2, location "Twin": is the name of 2 locations; write the external key of one',
      `line 3, location "live room": ${nothing}`,
      `line 4, location "Nowhere": ${nothing}`,
    ])
  })

  test('an external key goes before an id, and an id before a name', async () => {
    const studio = await importer.studio()
    const plain = await studio.add('locations', { name: 'Plain' })
    const named = await studio.add('locations', { name: plain })
    await importer.into(studio, 'items', `external_key,name,location\nA,a,${plain}\n`)
    expect(await importer.rows(studio, 'items', 'location_id')).toEqual([{ location_id: plain }])
    await studio.change('locations', named, { external_key: plain })
    expectDone(await importer.into(studio, 'items', `external_key,name,location\nA,a,${plain}\n`), { changed: 1 })
    expect(await importer.rows(studio, 'items', 'location_id')).toEqual([{ location_id: named }])
  })
})

describe('the same file again', () => {
  test('changes nothing, not even updated_at or the data version', async () => {
    const studio = await importer.studio()
    await studio.add('locations', { external_key: 'ROOM', name: 'Live room' })
    const file = `${all}\n${full.replace(',,2650', ',ROOM,2650')}\nB,Two,,,,,,a|b,Live room,,,,,,,,,yes\n`
    expectDone(await importer.into(studio, 'items', file), { added: 2 })
    const before = await importer.rows(studio, 'items', '*')
    const [version, counts] = [await studio.dataVersion(), await importer.admin.rows('select * from app.item_counts')]
    expectDone(await importer.into(studio, 'items', file), { rows: 2, added: 0, changed: 0, unchanged: 2 })
    expect(await importer.rows(studio, 'items', '*')).toEqual(before)
    expect(await studio.dataVersion()).toBe(version)
    expect(await importer.admin.rows('select * from app.item_counts')).toEqual(counts)
  })

  test('with one changed line updates that row alone', async () => {
    const studio = await importer.studio()
    const file = 'external_key,name,category\nA,One,Microphones\nB,Two,Drums & Percussion\nC,Three,\n'
    await importer.into(studio, 'items', file)
    const before = await importer.rows<{ updated_at: string }>(studio, 'items', '*')
    expectDone(await importer.into(studio, 'items', file.replace('Two', 'Zwei')), { changed: 1, unchanged: 2 })
    const after = await importer.rows<{ updated_at: string; name: string }>(studio, 'items', '*')
    expect([after[0], after[2]]).toEqual([before[0], before[2]])
    expect(after[1]?.name).toBe('Zwei')
    const moments = [before, after].map((rows) => Date.parse(rows[1]?.updated_at ?? ''))
    expect(moments[1]).toBeGreaterThan(moments[0] ?? Number.NaN)
  })
})

describe('archiving by the file', () => {
  test('archives and brings back, and keeps the moment of archiving', async () => {
    const studio = await importer.studio()
    const file = (archived: string) => `external_key,name,archived\nA,One,${archived}\n`
    const moment = async () =>
      (await importer.rows<{ archived_at: string }>(studio, 'items', 'archived_at'))[0]?.archived_at
    await importer.into(studio, 'items', file('yes'))
    const first = await moment()
    expect(first).not.toBeNull()
    expectDone(await importer.into(studio, 'items', file('TRUE')), { unchanged: 1 })
    expect(await moment()).toBe(first)
    expectDone(await importer.into(studio, 'items', file('')), { changed: 1 })
    expect(await moment()).toBeNull()
  })

  test('without the column an archived item stays archived, and that is said', async () => {
    const studio = await importer.studio()
    await importer.into(studio, 'items', 'external_key,name,archived\nA,One,yes\nB,Two,no\n')
    const notes = [
      '1 item of the file is archived and stays so (first: line 2); to bring it back, add the column archived with "no"',
    ]
    expectDone(await importer.into(studio, 'items', 'external_key,name\nA,Eins\nB,Zwei\n'), { changed: 2, notes })
    expect(await importer.rows(studio, 'items', 'name, archived_at is null as live')).toEqual([
      { name: 'Eins', live: false },
      { name: 'Zwei', live: true },
    ])
  })
})

test('rows that were made without an external key are left alone', async () => {
  const studio = await importer.studio()
  const id = await studio.add('items', { name: 'Made in the app' })
  const before = await studio.get('items', id)
  await importer.into(studio, 'items', 'external_key,name\nA,One\n', { archiveMissing: async () => true })
  expect(await studio.get('items', id)).toEqual(before)
})

test('a dry run tells what would be done and leaves no trace', async () => {
  const studio = await importer.studio()
  await importer.into(studio, 'items', 'external_key,name\nA,One\nB,Two\n')
  const state = () =>
    importer.admin.rows(
      `select (select json_agg(i order by i.id) from app.items i)::text as items,
         (select json_agg(v order by v.studio_id, v.slot) from app.data_versions v)::text as versions,
         (select json_agg(c order by c.studio_id, c.category, c.coverage_state, c.slot) from app.item_counts c)::text as counts`,
    )
  const before = await state()
  const file = 'external_key,name\nA,Eins\nB,Two\nC,Three\n'
  const done = { rows: 3, added: 1, changed: 1, unchanged: 1 }
  expectDone(await importer.into(studio, 'items', file, { dryRun: true }), done)
  expect(await state()).toEqual(before)
  expectDone(await importer.into(studio, 'items', file), done)
})
