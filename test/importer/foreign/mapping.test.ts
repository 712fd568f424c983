import { describe, expect, test } from 'vitest'
import { readHeader } from '../../../src/importer/csv/header.ts'
import { categoriesIn, draftCategoriesFile } from '../../../src/importer/foreign/categories.ts'
import { type Mapping, mappingOf, pairsIn } from '../../../src/importer/foreign/mapping.ts'
import { looksLike, tools } from '../../../src/importer/foreign/tools.ts'
import { kindNamed } from '../support.ts'

const items = kindNamed('items')

/** Which columns of a file are which of ours, by number. */
function places(names: string[], mapping?: Mapping): Record<string, readonly number[]> {
  const header = readHeader(1, names, items, mapping)
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
    expect(readHeader(1, names, items, mapping).ignored).toEqual(['Name', 'Colour'])
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

  test('in a file has a pair in a line, and comments', () => {
    const pairs = pairsIn('\uFEFF# from the old system\r\n\r\nAsset Name=name\n  Price (=) = purchase_price\n')
    expect(pairs).toEqual(['Asset Name=name', 'Price (=) = purchase_price'])
  })
})

describe('the exports of tools', () => {
  test.each(Object.entries(tools))(
    '%s: its mapping names columns of ours, the key and the name among them',
    (_, tool) => {
      const names = items.columns.map(({ name }) => name)
      expect(Object.keys(tool.columns).filter((name) => !names.includes(name))).toEqual([])
      expect(Object.keys(tool.columns)).toEqual(expect.arrayContaining(['external_key', 'name']))
    },
  )

  test.each([
    ['snipe-it', ['Company', 'Asset Name', 'Asset Tag', 'Serial', 'Model', 'Category', 'Cost']],
    ['homebox', ['HB.import_ref', 'HB.asset_id', 'HB.name', 'HB.location', 'HB.tags']],
    ['sortly', ['Entry Type', 'Entry Name', 'Sortly ID (SID)', 'Primary Folder', 'Price']],
    ['rentman', ['Code', 'Name (In Database)', 'Serial number (Serial number)', 'Folder']],
    [undefined, ['external_key', 'name', 'model', 'category']],
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
