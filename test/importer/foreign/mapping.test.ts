import { describe, expect, test } from 'vitest'
import { readHeader } from '../../../src/importer/csv/header.ts'
import { categoriesIn, draftCategoriesFile } from '../../../src/importer/foreign/categories.ts'
import { type Mapping, mappingOf, pairsIn } from '../../../src/importer/foreign/mapping.ts'
import { looksLike, tools } from '../../../src/importer/foreign/tools.ts'
import { sentence } from '../../../src/importer/row-errors.ts'
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
    expect(places(['TAG', 'model', 'title', 'barcode'], mapping)).toEqual({
      external_key: [0],
      name: [2, 1],
      barcode: [3],
    })
  })

  test('leaves columns that are called like ours to be ours, unless another is', () => {
    const mapping = mappingOf(items, ['Tag=external_key', 'Title=name'])
    const names = ['Tag', 'Title', 'Name', 'Serial Number', 'Purchase-Price']
    expect(places(names, mapping)).toEqual({ external_key: [0], name: [1], serial_number: [3], purchase_price: [4] })
    expect(readHeader(1, names, items, mapping).ignored).toEqual(['Name'])
  })

  test('names what is ignored, except what was left out on purpose', () => {
    const mapping = mappingOf(items, ['Tag=external_key', 'Company='])
    expect(readHeader(1, ['Tag', 'Company', 'Colour', ''], items, mapping).ignored).toEqual(['Colour'])
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
    expect(pairsIn('\uFEFF# from the old system\r\n\r\nAsset Name=name\n  Price (=) = purchase_price\n')).toEqual([
      'Asset Name=name',
      'Price (=) = purchase_price',
    ])
  })
})

describe('the exports of tools', () => {
  test.each(Object.entries(tools))(
    '%s: its mapping names columns that exist, the key and the name among them',
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
  ])('%s is recognised by its header', (option, header) => {
    expect(looksLike('items', header)?.option).toBe(option)
  })

  test('our own header, or an unknown one, is not recognised', () => {
    expect(looksLike('items', ['external_key', 'name', 'model', 'category'])).toBeUndefined()
    expect(looksLike('items', ['Foo', 'Bar'])).toBeUndefined()
  })
})

test('columns of other tools are told by what they mean, not by how they are spelt', () => {
  const { errors } = readHeader(1, ['name', 'Asset Tag', 'Serial', 'Cost', 'Colour'], items)
  expect(errors.map(sentence)).toEqual([
    `line 1, column 2 "Asset Tag": is not a column of items; probably external_key: --map 'Asset Tag=external_key'`,
    `line 1, column 3 "Serial": is not a column of items; probably serial_number: --map 'Serial=serial_number'`,
    `line 1, column 4 "Cost": is not a column of items; probably purchase_price: --map 'Cost=purchase_price'`,
    `line 1, column 5 "Colour": is not a column of items; leave it out with --map 'Colour=', or remove it`,
  ])
})

test('no cell of a file of categories is a formula, and what is written beside it is found again', () => {
  const file = draftCategoriesFile(
    new Map([
      ['=1+1', 3],
      ["'quoted'", 2],
    ]),
  )
  expect(file).toBe("theirs,ours,rows\r\n'=1+1,,3\r\n'quoted',,2\r\n")
  const filled = file.replace('1,,', '1,Microphones,').replace("d',,", "d',Acoustic Treatment & Furniture,")
  const known = categoriesIn(filled, 'categories.csv')
  expect([known.get('=1+1'), known.get("'quoted'")]).toEqual(['Microphones', 'Acoustic Treatment & Furniture'])
})
