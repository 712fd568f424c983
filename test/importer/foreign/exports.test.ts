import { beforeAll, describe, expect, test } from 'vitest'
import { categoriesIn } from '../../../src/importer/foreign/categories.ts'
import { mappingOf } from '../../../src/importer/foreign/mapping.ts'
import { tools } from '../../../src/importer/foreign/tools.ts'
import type { Studio } from '../../sql/support.ts'
import { expectDone, kindNamed, sentences, useImporter } from '../support.ts'

const importer = useImporter()
let studio: Studio
const from = (tool: string) => mappingOf(kindNamed('items'), [], tools[tool])
const place = '(select l.name from app.locations l where l.id = location_id) as location'

beforeAll(async () => {
  studio = await importer.studio()
})

const snipeIt = `ID,Company,Asset Name,Asset Tag,Serial,Model,Category,Location,Default Location,Manufacturer,Purchase Date,Cost
1,Acme,Vocal mic,SN-1,104512,U 87 Ai,Microphones,On tour,Studio A,Neumann,03/15/2021,"2,650.00"
2,Acme,,SN-2,7781,4038,Ribbon Mics,Studio B,,Coles,09/01/2018,980.00
`

describe('an export of Snipe-IT', () => {
  const job = {
    mapping: from('snipe-it'),
    formats: { dates: 'mm/dd/yyyy', decimal: 'point' },
    categories: categoriesIn('theirs,ours,rows\nribbon mics,microphones,1\n', 'file'),
    makeLocations: true,
  } as const

  test('is imported in one round, and its second import changes nothing', async () => {
    const notes = ['ignored columns: "ID", "Company"', '2 new locations: "Studio A", "Studio B"']
    expectDone(await importer.into(studio, 'items', snipeIt, job), { added: 2, notes })
    const names = 'external_key, name, manufacturer, model, serial_number, category'
    const columns = `concat_ws('|', ${names}, purchase_price, acquisition_date) as row, ${place}`
    expect(await importer.rows(studio, 'items', columns)).toEqual([
      { row: 'SN-1|Vocal mic|Neumann|U 87 Ai|104512|Microphones|2650.00|2021-03-15', location: 'Studio A' },
      { row: 'SN-2|4038|Coles|4038|7781|Microphones|980.00|2018-09-01', location: 'Studio B' },
    ])
    expectDone(await importer.into(studio, 'items', snipeIt, job), { unchanged: 2 })
  })

  test('is recognised when nobody says what it is, and when it is said all kinds of errors come at once', async () => {
    const other = await importer.studio()
    const unsaid = await importer.into(other, 'items', snipeIt)
    expect(unsaid.looksLike).toMatchObject({ option: 'snipe-it', title: 'Snipe-IT' })
    const said = await importer.into(other, 'items', snipeIt, { mapping: from('snipe-it') })
    const columns = ['acquisition_date', 'category', 'location', 'purchase_price']
    expect([...new Set(said.report.map(({ column }) => column))].toSorted()).toEqual(columns)
    expect([...(said.unknownCategories ?? [])]).toEqual([['Ribbon Mics', 1]])
    expect(said.looksLike).toBeUndefined()
  })
})

const snipeItImport =
  'Company,Name,Asset Tag,Category,Supplier,Manufacturer,Location,Model,Model Number,Purchase Date,Purchase Cost'

test.each<{ tool: string; so: string; file: string[]; notes: string[]; columns: string; rows: object[] }>([
  {
    tool: 'snipe-it',
    so: 'in the form of its own import an item is called by its name, not by its model',
    file: [
      snipeItImport,
      ...['Left', 'Right'].map((side) => `Acme,${side} mic,${side},,,Neumann,,U 87,Ai,2023-01-23,2266.13`),
    ],
    notes: ['ignored columns: "Company", "Supplier"'],
    columns: 'name, model',
    rows: [
      { name: 'Left mic', model: 'U 87' },
      { name: 'Right mic', model: 'U 87' },
    ],
  },
  {
    tool: 'homebox',
    so: 'dates and decimals are ours, tags are split, archived items are archived',
    file: [
      'HB.import_ref,HB.location,HB.tags,HB.asset_id,HB.archived,HB.name,HB.quantity,HB.purchase_price,HB.purchase_date,HB.model_number',
      'r1,Garage / Shelf,tools; valuable,000-001,false,Drill,1,149.99,2024-03-01,D-1',
      ',Garage,,000-002,true,Screws,1,0,,',
    ],
    notes: [
      'ignored columns: "HB.import_ref"',
      '1 row archived, because their state says that they are gone',
      '2 new locations: "Garage", "Garage / Shelf"',
    ],
    columns: `external_key, model, tags, archived_at is not null as archived, ${place}`,
    rows: [
      {
        external_key: '000-001',
        model: 'D-1',
        tags: ['tools', 'valuable'],
        archived: false,
        location: 'Garage / Shelf',
      },
      { external_key: '000-002', model: '', tags: [], archived: true, location: 'Garage' },
    ],
  },
  {
    tool: 'sortly',
    so: 'folders are locations, not items',
    file: [
      'Entry Type,Entry Name,Sortly ID (SID),Quantity,Price,Tags,Primary Folder,Subfolder-level1,Barcode/QR1-Data',
      'Folder,Shelf,S0,,,,Studio,Shelf,',
      'Item,Mic,S1,1,99.50,,Studio,Shelf,400638',
      'Item,Stand,S2,1,,,Studio,,',
    ],
    notes: ['1 row left out: not "Item" or "Variant"', '2 new locations: "Studio", "Studio / Shelf"'],
    columns: `external_key, barcode, ${place}`,
    rows: [
      { external_key: 'S1', barcode: '400638', location: 'Studio / Shelf' },
      { external_key: 'S2', barcode: '', location: 'Studio' },
    ],
  },
  {
    tool: 'rentman',
    so: 'a row of a piece has its own key, a row of other equipment its code',
    file: [
      'Code,Name (In Database),Folder,Serial number (Serial number),Internal reference (Serial number),Date of purchase (Serial number)',
      '100,Wedge,Amplifiers & Cabinets,SN-7,WEDGE-1,2024-03-01',
      '100,Wedge,Amplifiers & Cabinets,SN-8,WEDGE-2,',
      '200,Cables,,,,',
    ],
    notes: [],
    columns: 'external_key, serial_number, acquisition_date::text as day',
    rows: [
      { external_key: '200', serial_number: '', day: null },
      { external_key: 'WEDGE-1', serial_number: 'SN-7', day: '2024-03-01' },
      { external_key: 'WEDGE-2', serial_number: 'SN-8', day: null },
    ],
  },
  {
    tool: 'cheqroom',
    so: 'its fields, and custom ones that are called like ours',
    file: [
      'Name,Category,Location,Brand,Barcodes,Flag,Serial Number,Purchase Price',
      'Mic,Microphones,Depot,Neumann,4006,,104512,2650',
    ],
    notes: ['ignored columns: "Flag"', '1 new location: "Depot"'],
    columns: `concat_ws('|', external_key, barcode, manufacturer, serial_number, purchase_price) as row, ${place}`,
    rows: [{ row: '4006|4006|Neumann|104512|2650.00', location: 'Depot' }],
  },
])('an export of $tool: $so', async ({ tool, file, notes, columns, rows }) => {
  const home = await importer.studio()
  const job = { mapping: from(tool), makeLocations: true }
  expectDone(await importer.into(home, 'items', `${file.join('\n')}\n`, job), { added: rows.length, notes })
  expect(await importer.rows(home, 'items', columns)).toEqual(rows)
})

test('a current export of Homebox: rows of locations are left out, and items without an asset id can be told by address', async () => {
  const file =
    'HB.purchase_date,HB.import_ref,HB.url,HB.name,HB.location,HB.asset_id,HB.quantity,HB.purchase_price,HB.archived\n' +
    ',,http://box/location/1,Studio,,000-001,1,0,false\n' +
    '2024-03-01,,http://box/item/2,Drill,Studio,000-002,1,149.99,false\n,,http://box/item/3,Saw,Studio,,1,0,false\n'
  const home = await importer.studio()
  const job = { mapping: from('homebox'), makeLocations: true }
  const wrong = await importer.into(home, 'items', file, job)
  expect(sentences(wrong)).toEqual(['line 4, external_key: is empty; write a value such as MIC-001'])
  expect(wrong.keys).toContain('HB.url')
  const done = await importer.into(home, 'items', file, { ...job, key: 'HB.url' })
  expectDone(done, { added: 2 })
  expect(done.notes).toContain('1 row left out: locations of Homebox')
  expect(await importer.rows(home, 'items', 'external_key, name')).toEqual([
    { external_key: 'http://box/item/2', name: 'Drill' },
    { external_key: 'http://box/item/3', name: 'Saw' },
  ])
})

describe('missing locations', () => {
  const file = 'external_key,name,location\nA,a,Attic\nB,b,Attic\nC,c,Cellar\n'
  const places = (of: Studio) => importer.rows(of, 'locations', 'external_key, name')

  test('are made only when told, with their text as key and name', async () => {
    const of = await importer.studio()
    expect(await importer.wrong(of, 'items', file)).toHaveLength(3)
    const before = await places(of)
    expectDone(await importer.into(of, 'items', file, { makeLocations: true, dryRun: true }), { added: 3 })
    expect(await places(of)).toEqual(before)
    expectDone(await importer.into(of, 'items', file, { makeLocations: true }), { added: 3 })
    expect((await places(of)).slice(0, 2)).toEqual([
      { external_key: 'Attic', name: 'Attic' },
      { external_key: 'Cellar', name: 'Cellar' },
    ])
  })

  test('are not made when anything else is wrong with the file', async () => {
    const of = await importer.studio()
    const before = await places(of)
    const wrong = await importer.wrong(of, 'items', `${file}D,,Roof\n`, { makeLocations: true })
    expect(wrong).toEqual(['line 5, name: is empty; write a value such as Neumann U 87 Ai'])
    expect(await places(of)).toEqual(before)
  })

  test('are not made from an id, or from the name of several', async () => {
    const of = await importer.studio()
    await importer.into(of, 'locations', 'external_key,name\nT1,Twin\nT2,Twin\n')
    const rows = 'A,a,Twin\nB,b,0b0f2c9e-5d0a-4b8e-9d53-5a3a4f0f6b52\n'
    const wrong = await importer.wrong(of, 'items', `external_key,name,location\n${rows}`, { makeLocations: true })
    expect(wrong).toEqual([
      'line 2, location "Twin": is the name of 2 locations; write the external key of one',
      expect.stringContaining('matches nothing in this studio'),
    ])
  })
})
