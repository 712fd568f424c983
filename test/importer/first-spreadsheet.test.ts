import { beforeEach, describe, expect, test } from 'vitest'
import { readHeader } from '../../src/importer/csv/header.ts'
import { categoriesIn, draftCategoriesFile } from '../../src/importer/foreign/categories.ts'
import { suggestedCategory } from '../../src/importer/foreign/category-words.ts'
import { type Mapping, mappingOf } from '../../src/importer/foreign/mapping.ts'
import { suggestions } from '../../src/importer/foreign/meanings.ts'
import { looksLike, tools } from '../../src/importer/foreign/tools.ts'
import type { Studio } from '../sql/support.ts'
import { expectDone, kindNamed, useImporter } from './support.ts'

const importer = useImporter()
const items = kindNamed('items')
let studio: Studio
const newStudio = async () => {
  studio = await importer.studio()
}
const keys = async () => (await importer.rows(studio, 'items', 'external_key')).map((row) => row.external_key)

const file =
  'name,serial_number,category,purchase_price\nNeumann U 87 Ai,104512,Microphones,2650\nShure SM58,S-77,Microphones,99\n'

describe('a spreadsheet without external_key', () => {
  beforeEach(newStudio)

  test('is told which columns would do as the key, together with every other error', async () => {
    const wrong = `${file}Shure SM58,S-78,Zithers,1.234,50\n,S-79,,"9,50"\n`
    expect(await importer.wrong(studio, 'items', wrong)).toEqual([
      'line 1, external_key: is missing; it identifies each row; say which column it is: --map THEIRS=external_key; use a column that differs in each row: --key serial_number; or number them: --key none',
      'line 4: has 5 cells, but the header has 4; put a cell that contains the delimiter in quotation marks',
      'line 5, name: is empty; write a value such as Neumann U 87 Ai',
      'line 5, purchase_price "9,50": has a decimal comma; write 9.50',
    ])
    expect(await keys()).toEqual([])
  })

  test('may have a title and remarks above its table, which are left out', async () => {
    const outcome = await importer.into(studio, 'items', `Gear of 2024\n\nThe studio's\n${file}`, { key: 'name' })
    expectDone(outcome, { added: 2 })
    expect(outcome.notes[0]).toBe('2 rows above the header left out')
  })

  test('is keyed by another column: a later import changes those rows and adds new ones, and says so', async () => {
    const key = 'serial_number'
    const first = await importer.into(studio, 'items', file, { key })
    expectDone(first, { added: 2 })
    expect(first.notes[0]).toMatch(
      /^rows are identified by serial_number: a later import with the same key updates the rows/,
    )
    expect(await keys()).toEqual(['104512', 'S-77'])
    expectDone(await importer.into(studio, 'items', file, { key }), { unchanged: 2 })
    const later = file.replace(',99\n', ',109\nShure SM57,S-80,Microphones,95\n')
    expectDone(await importer.into(studio, 'items', later, { key }), { added: 1, changed: 1, unchanged: 1 })
    expect(await importer.rows(studio, 'items', 'serial_number')).toHaveLength(3)
  })

  test('is numbered after the highest number that the studio has; a later import adds its rows again, and says so', async () => {
    await importer.into(studio, 'items', 'external_key,name\n41,Old\nMIC-1,Other\n')
    const notes = [
      'rows get the numbers 42 to 43 as their keys: a later import of the file adds all of them again; to change them, export the studio and import that',
    ]
    expectDone(await importer.into(studio, 'items', file, { key: 'none' }), { added: 2, notes })
    expect(await keys()).toEqual(['41', '42', '43', 'MIC-1'])
    const again = await importer.into(studio, 'items', file, { key: 'none', dryRun: true })
    expect(again.notes[1]).toBe(
      '2 different rows say the same as items that the studio has already, and would be added once more',
    )
  })

  test.each([
    ['name', 'name,model\nA,x\nA,y\n', 'line 3, external_key "A": is already on line 2; give each row its own key'],
    ['barcode', 'name,barcode\nA,1\nB,\n', 'line 3, external_key: is empty; write a value such as MIC-001'],
  ])('is not keyed by a column in which rows are alike, or empty: %s', async (key, content, wrong) => {
    expect(await importer.wrong(studio, 'items', content, { key })).toEqual([wrong])
  })

  test.each([
    ['items', 'colour', 'name\nA\n', 'the file has no column "colour" that could be the key'],
    ['market-values', 'none', 'item,value,as_of\nA,1,2024-01-01\n', 'market values are identified by their item'],
  ] as const)('of %s is not keyed by %s', async (kind, key, content, message) => {
    await expect(importer.into(studio, kind, content, { key })).rejects.toThrow(message)
  })

  test('may have the key in a column that is none of ours, which stays unread otherwise', async () => {
    const said = { mapping: mappingOf(items, ['Thing=name']), key: 'Sticker No.' }
    expectDone(await importer.into(studio, 'items', 'Sticker No.,Thing\nX 1,Lamp\nX 2,Lamp\n', said), { added: 2 })
    expect(await keys()).toEqual(['X 1', 'X 2'])
  })
})

describe('headers of people’s own', () => {
  test.each([
    ['Make', 'manufacturer'],
    ['S/N', 'serial_number'],
    ['Date purchased', 'acquisition_date'],
    ['Insured for (€)', 'reported_insured_value'],
    ['Asset Tag', 'external_key'],
    ['manufactuer', 'manufacturer'],
    ['Colour', undefined],
  ])('%s is taken for %s', (theirs, ours) => {
    const names = items.columns.map(({ name }) => name)
    expect(suggestions(items, [theirs], names)[0]?.ours).toBe(ours)
  })
})

test.each([
  ['Microphones', 'Mic, mics, Mikrofone, Ribbon mics, Condensers, Drum mics'],
  ['Preamps & Channel Strips', 'Preamps, Mic pres, DI, DIs, DI box, DI boxes, DI-Boxen, Vorverstärker'],
  ['Outboard — Dynamics & EQ', 'Outboard, Compressors, Kompressoren, EQs, Limiter'],
  ['Keyboards & Synthesizers', 'Key, Keys, Synth, Synths, Pianos, Drum machines, Tasten'],
  ['Amplifiers & Cabinets', 'Amp, Amps, Bass amps, Guitar cabs, Power amps, Gitarrenverstärker'],
  [
    'Cables, Stands & Accessories',
    'Cable, Cables, Kabel, Stands, Mic stands, Mikrofonständer, Mic cables, Flight cases',
  ],
  [undefined, 'Keystone, Zithers, Lighting'],
])('%s is suggested for what musicians call it: %s', (category, words) => {
  for (const word of words.split(', ')) expect([word, suggestedCategory(word)]).toEqual([word, category])
})

/** Which columns of a file are which of ours, by number. */
function places(names: string[], mapping?: Mapping): Record<string, readonly number[]> {
  const header = readHeader(1, names, items, { mapping })
  expect(header.errors).toEqual([])
  return Object.fromEntries(header.places.map(({ column, indexes }) => [column.name, indexes]))
}

describe('a mapping', () => {
  test('says which column is which, in any case, and several columns for one are tried in their order', () => {
    const mapping = mappingOf(items, ['Tag = external_key', 'Title=NAME', 'Model=name'])
    const found = places(['TAG', 'model', 'title', 'barcode'], mapping)
    expect(found).toEqual({ external_key: [0], name: [2, 1], barcode: [3] })
  })

  test('leaves columns that are called like ours to be ours, unless another is, and names what is ignored', () => {
    const mapping = mappingOf(items, ['Tag=external_key', 'Title=name', 'Company='])
    const names = ['Tag', 'Title', 'Name', 'Serial Number', 'Purchase-Price', 'Company', 'Colour', '']
    expect(places(names, mapping)).toEqual({ external_key: [0], name: [1], serial_number: [3], purchase_price: [4] })
    // Except what was left out on purpose.
    expect(readHeader(1, names, items, { mapping }).ignored).toEqual(['Name', 'Colour'])
  })

  test('goes before what a tool is known for', () => {
    const mapping = mappingOf(items, ['HB.import_ref=external_key', 'HB.notes=tags', 'HB.location='], tools.homebox)
    const names = ['HB.asset_id', 'HB.import_ref', 'HB.name', 'HB.tags', 'HB.notes', 'HB.location']
    expect(places(names, mapping)).toEqual({ external_key: [1], name: [2], tags: [4] })
  })

  test.each([
    [['Name'], '"Name" does not say which column is which'],
    [['=name'], '"=name" does not say which column is which'],
    [['Name=nam'], 'items have no column "nam": did you mean "name"?'],
    [['Name=colour'], 'items have no column "colour"'],
  ])('%j is refused', (said, message) => {
    expect(() => mappingOf(items, said)).toThrow(message)
  })
})

describe('the exports of tools', () => {
  test.each([
    ['snipe-it', ['Company', 'Asset Name', 'Asset Tag', 'Serial', 'Model', 'Category', 'Cost']],
    ['homebox', ['HB.import_ref', 'HB.asset_id', 'HB.name', 'HB.location', 'HB.tags']],
    ['sortly', ['Entry Type', 'Entry Name', 'Sortly ID (SID)', 'Primary Folder', 'Price']],
    ['rentman', ['Code', 'Name (In Database)', 'Serial number (Serial number)', 'Folder']],
    [undefined, ['external_key', 'name', 'barcode', 'category', 'location']],
    [undefined, ['Foo', 'Bar']],
  ])('%s is recognised by its header', (option, header) => {
    expect(looksLike('items', header)?.option).toBe(option)
  })
})

test('no cell of a file of categories is a formula, and what is written beside it is found again', () => {
  const file = draftCategoriesFile(new Map(Object.entries({ '=1+1': 3, "'quoted'": 2 })))
  expect(file).toBe("theirs,ours,rows\r\n'=1+1,,3\r\n'quoted',,2\r\n")
  const filled = file.replace('1,,', '1,Microphones,').replace("d',,", "d',Acoustic Treatment & Furniture,")
  const known = categoriesIn(filled, 'categories.csv')
  expect([known.get('=1+1'), known.get("'quoted'")]).toEqual(['Microphones', 'Acoustic Treatment & Furniture'])
})
