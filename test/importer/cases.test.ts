import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { DoubtName } from '../../src/importer/doubts.ts'
import { mappingOf } from '../../src/importer/foreign/mapping.ts'
import { tools } from '../../src/importer/foreign/tools.ts'
import { kindNamed, type Outcome, sentences, useImporter } from './support.ts'

const importer = useImporter()

type Options = {
  from?: string
  map?: string[]
  dates?: string
  decimal?: 'comma' | 'point'
  key?: string
  accept?: DoubtName[]
}

/** Imports a case into a new studio, whose currency is the euro. */
async function load(name: string, { from, map, dates, decimal, key, accept = [] }: Options = {}) {
  const studio = await importer.studio()
  const mapping = (from ?? map) === undefined ? undefined : mappingOf(kindNamed('items'), map ?? [], tools[from ?? ''])
  const outcome = await importer.path(studio, 'items', join(import.meta.dirname, 'cases', name), {
    formats: { ...(dates && { dates }), ...(decimal && { decimal }) },
    ...(mapping && { mapping }),
    ...(key && { key }),
    accepted: new Set(accept),
    makeLocations: true,
  })
  return { studio, outcome, rows: (columns: string) => importer.rows(studio, 'items', columns) }
}

/** The lines, columns and values that an import refuses, and why. */
const refusals = ({ report }: Outcome) =>
  report.map(({ line, column, value, problem }) => `${line} ${column} ${value}: ${problem}`)

/** What an import refuses, and that it wrote nothing. */
async function refused(name: string, options: Options = {}): Promise<string[]> {
  const { outcome, rows } = await load(name, options)
  expect(await rows('external_key')).toEqual([])
  return refusals(outcome)
}

/** The rows that an import made, as texts with | between the columns. */
async function made(name: string, columns: string, options: Options = {}): Promise<string[]> {
  const { outcome, rows } = await load(name, options)
  expect(sentences(outcome)).toEqual([])
  return (await rows(`concat_ws('|', ${columns}) as row`)).map(({ row }) => String(row))
}

const place = '(select l.name from app.locations l where l.id = location_id)'
const gone = `case when archived_at is null then 'owned' else 'gone' end`

describe('amounts', () => {
  test.each([
    ['k1.csv', 'comma', ',', ['1,250', '2,400', '12,000']],
    ['k2.csv', 'point', '.', ['1.250', '2.400', '12.000']],
  ] as const)(
    '%s: three digits after the mark are refused by cell, because they may be thousands',
    async (name, decimal, _, values) => {
      const problem = `has three digits after the decimal ${decimal}, which may be thousands`
      expect(await refused(name, { decimal })).toEqual(
        values.map((value, at) => `${at + 2} purchase_price ${value}: ${problem}`),
      )
    },
  )

  test('c04.csv: a row in another currency than the studio’s is refused', async () => {
    const map = ['ID=external_key', 'Part.full_name=name', 'Location=location']
    const wrong = await refused('c04.csv', { map, accept: ['quantities'] })
    expect(wrong).toEqual(["2 Purchase price currency USD: is in USD, and the studio's currency is EUR"])
  })

  test('j3.xlsx: cells formatted in other currencies than the studio’s are refused', async () => {
    expect(await refused('j3.xlsx')).toEqual([
      "3 purchase_price 99: is in $, and the studio's currency is EUR",
      "4 manual_value 20: is in CHF, and the studio's currency is EUR",
      "4 purchase_price 10: is in £, and the studio's currency is EUR",
    ])
  })
})

describe('rows that are no items', () => {
  const map = ['Name=name', 'Serial No.=serial_number', 'Price=purchase_price', 'Bought=acquisition_date']

  test('e02.csv: a row called Total is refused, and left out when somebody accepts it', async () => {
    expect(await refused('e02.csv', { map, key: 'none' })).toEqual([
      '4 Name Total: is the label of a total, not a name',
    ])
    const { outcome, rows } = await load('e02.csv', { map, key: 'none', accept: ['total_rows'] })
    expect(await rows('name')).toEqual([{ name: 'U 87' }, { name: 'SM57' }])
    expect(outcome.notes).toContain('1 row left out: totals, headings or remarks (first: line 4)')
  })

  test('e03.xlsx: a formula that adds up its column is a total', async () => {
    expect(await refused('e03.xlsx', { map, key: 'none' })).toEqual(['4 Price 2749: adds up the rows above it'])
  })
})

describe('quantities', () => {
  const map = ['Name=name', 'Price=purchase_price']

  test('e08.csv: a row of 25 pieces is refused with what would be missing', async () => {
    const { outcome } = await load('e08.csv', { map, key: 'none' })
    expect(refusals(outcome)).toEqual(['2 Qty 25: is 25 pieces: one item would leave out 24 worth 240.00'])
    expect(outcome.notes).toContain('1 row has 25 pieces: 24 of them would be missing, worth 240.00 EUR')
  })

  test('e08.csv: accepted, it becomes 25 items with a key each, or one', async () => {
    const columns = 'external_key, name, purchase_price'
    const items = await made('e08.csv', columns, { map, key: 'name', accept: ['quantities'] })
    expect(items).toHaveLength(26)
    expect(items).toEqual(
      expect.arrayContaining(['XLR cable|XLR cable|10.00', 'XLR cable/25|XLR cable|10.00', 'Mic|Mic|100.00']),
    )
    expect(await made('e08.csv', columns, { map, key: 'name', accept: ['sets'] })).toHaveLength(2)
  })

  test('e08.csv: an amount that is the sum of the pieces is refused', async () => {
    const both = [...map, 'Total=replacement_cost']
    const wrong = await refused('e08.csv', { map: both, key: 'none', accept: ['quantities'] })
    expect(wrong).toEqual([
      '2 replacement_cost 250.00: is 25 times purchase_price: a sum, and not the amount of one piece',
    ])
  })

  test('m2.csv: the serial number is that of the first piece', async () => {
    const own = [
      'Room=location',
      'Item=name',
      'Brand=manufacturer',
      'Serial=serial_number',
      'Purchase Price=purchase_price',
    ]
    const options = { map: [...own, 'Purchase Date=acquisition_date'], dates: 'mm/dd/yyyy', key: 'serial_number' }
    expect(await refused('m2.csv', options)).toEqual(['2 Qty 4: is 4 pieces: one item would leave out 3 worth 297.00'])
    const items = await made('m2.csv', 'external_key, serial_number', { ...options, accept: ['quantities'] })
    expect(items).toEqual(['S-1|S-1', 'S-1/2|', 'S-1/3|', 'S-1/4|'])
  })
})

describe('what is gone', () => {
  test('b01.csv: an item that Homebox has sold is disposed of on that day, for that price', async () => {
    expect(await made('b01.csv', `name, disposed_on, disposal_proceeds, ${gone}`, { from: 'homebox' })).toEqual([
      'Kept mic|owned',
      'Sold synth|2023-05-01|450.00|gone',
    ])
  })

  test('j6.csv: assets that Snipe-IT has as archived, stolen or deleted are archived', async () => {
    const rows = await made('j6.csv', `name, ${gone}`, { from: 'snipe-it' })
    expect(rows).toEqual(['Mic|gone', 'Synth & stand|gone', 'Amp|gone'])
  })
})

describe('values that nobody can mean', () => {
  test('c10.csv: years of other calendars are refused, or taken when somebody accepts them', async () => {
    const map = ['Name=name', 'Key=external_key', 'Date=acquisition_date']
    const years = { '2567-03-01': 2567, '1445-08-20': 1445, '0024-03-01': 24, '2204-03-01': 2204, '0113-03-01': 113 }
    const wrong = Object.entries(years).map(
      ([day, year], at) => `${at + 2} acquisition_date ${day}: is in the year ${year}`,
    )
    expect(await refused('c10.csv', { map })).toEqual(wrong)
    expect(await made('c10.csv', 'external_key', { map, accept: ['years'] })).toHaveLength(5)
  })

  test('d04.csv: errors of other programs are refused as names, serial numbers and labels', async () => {
    const problem = 'is an error or a missing value of another program'
    const cells = ['2 name #N/A', '2 serial_number #REF!', '3 serial_number #N/A', '3 tags #VALUE!', '4 name #NAME?']
    const more = [
      '5 name null',
      '5 serial_number NULL',
      '6 name NaN',
      '6 serial_number undefined',
      '7 name [object Object]',
    ]
    expect(await refused('d04.csv')).toEqual([...cells, ...more].map((cell) => `${cell}: ${problem}`))
    const left = await refused('d04.csv', { accept: ['error_texts'] })
    expect(left).toEqual([2, 4, 5, 6, 7].map((line) => `${line} name null: is empty`))
  })

  test('j2.xlsx: a year typed into a cell of dates is refused; dates with a time are days', async () => {
    const problem = 'is the number 2005 in a cell of dates, which makes it 1905-06-27'
    expect(await refused('j2.xlsx')).toEqual([`5 acquisition_date 1905-06-27: ${problem}`])
    const days = await made('j2.xlsx', 'acquisition_date', { accept: ['years'] })
    expect(days).toEqual(['2024-03-06', '2024-03-06', '2024-03-06', '1905-06-27'])
  })
})

describe('texts', () => {
  test.each([
    ['a04.csv', 'snipe-it', ['Pad||-20dB', '+48V supply||S2', '@home mic||S3', '=1+1||S4']],
    ['b02.csv', 'homebox', ['-10 dB pad||+442']],
  ])('%s: guarding apostrophes come off', async (name, from, rows) => {
    expect(await made(name, 'name, model, serial_number', { from })).toEqual(rows)
  })

  test('g01.csv: two spellings of one word are one location', async () => {
    const { studio, outcome, rows } = await load('g01.csv')
    expect(new Set((await rows(`${place} as place`)).map((row) => row.place))).toEqual(new Set(['Küche']))
    expect(await importer.rows(studio, 'locations', 'name')).toHaveLength(2)
    expect(outcome.notes).toContain('cleaned 1 cell: letters that were stored in parts (first: line 3)')
  })

  test('g02.csv: keys that look the same are the same', async () => {
    expect(await refused('g02.csv')).toEqual([
      '3 external_key Röhre-1: is already on line 2',
      '5 external_key T-1: is already on line 4',
    ])
  })

  test('b04.tsv: quotation marks in tab-separated text are text', async () => {
    const rows = await made('b04.tsv', `external_key, name, array_to_string(tags, '+'), ${place}`, { from: 'homebox' })
    expect(rows).toEqual(['000-001|Mic, big|mic+vocal|House / Room, left'])
  })
})

describe('what columns of tools mean', () => {
  test('a01.csv: the name of a Snipe-IT asset is its item name, else its model, and not the person', async () => {
    const rows = await made('a01.csv', 'external_key, name, model', { from: 'snipe-it', dates: 'mm/dd/yyyy' })
    expect(rows).toEqual(['T-1|Vocal mic : ! () " nr 1|U 87 Ai', 'T-2|KM 184|KM 184'])
  })

  test('c01.csv: Sortly’s labels are separated by commas, and its quantities are pieces', async () => {
    const options = { from: 'sortly', dates: 'mm/dd/yyyy' }
    expect(await refused('c01.csv', options)).toEqual([
      '3 Quantity 12: is 12 pieces: one item would leave out 11 worth 275.00',
      '5 Quantity 4: is 4 pieces: one item would leave out 3 worth 15.00',
    ])
    const rows = await made('c01.csv', `external_key, array_to_string(tags, '+')`, {
      ...options,
      accept: ['quantities'],
    })
    expect(rows).toHaveLength(17)
    expect(rows).toEqual(expect.arrayContaining(['S1|stand+metal', 'S1/12|stand+metal', 'S2|vocal', 'S3/4|']))
  })

  test('c06.csv: Rentman’s bulk equipment is pieces, a serial number is one, and a combination is none', async () => {
    const options = { from: 'rentman', dates: 'dd-mm-yyyy' }
    expect(await refused('c06.csv', options)).toEqual([
      '4 Current quantity 80: is 80 pieces: one item would leave out 79 worth 948.00',
    ])
    const { outcome, rows } = await load('c06.csv', { ...options, accept: ['quantities'] })
    expect(sentences(outcome)).toEqual([])
    const found = await rows('external_key, barcode')
    expect(found).toHaveLength(82)
    expect(found).toContainEqual({ external_key: 'SM58-01', barcode: 'QR1' })
    expect(outcome.notes).toContain('1 row left out: combinations of Rentman, whose pieces have rows')
    expect(outcome.notes).toContain('1 row with several codes in one cell: the first is read')
  })

  test('c08.csv: months by name can be read, and a span of days when somebody accepts it', async () => {
    const map = ['Name=name', 'Acquired=acquisition_date', 'Price=purchase_price', 'Room=location']
    const options = { map, dates: 'mmmm d, yyyy', key: 'name' }
    expect(await refused('c08.csv', options)).toEqual([
      expect.stringMatching(/^3 acquisition_date .*: is a span of days, from March 5, 2024 10:00 AM to March 6, 2024$/),
    ])
    const rows = await made('c08.csv', `name, acquisition_date, ${place}, ${gone}`, {
      ...options,
      accept: ['date_spans'],
    })
    expect(rows).toEqual(['SM57|2024-03-05|gone', 'U 87|2024-01-05|Live Room|owned'])
  })
})

test('rt-rest.csv: this service’s own list of items changes nothing, and its texts come in without apostrophes', async () => {
  const studio = await importer.studio()
  const ids = ['aa0622e1-22b2-4c0e-9b67-af4fb3eb6f88', 'f6c84cfa-2890-459a-92dc-58eca21dc3cf']
  const names = [
    { id: ids[0], name: '@mic', serial_number: '=1+1' },
    { id: ids[1], name: '-20 dB pad', serial_number: '+442', tags: ['vocal', 'large'] },
  ]
  for (const item of names) await studio.add('items', item)
  const before = await importer.rows(studio, 'items', '*')
  const path = join(import.meta.dirname, 'cases', 'rt-rest.csv')
  const outcome = await importer.path(studio, 'items', path)
  expect(outcome).toMatchObject({ rows: 2, unchanged: 2 })
  expect(await importer.rows(studio, 'items', '*')).toEqual(before)

  const other = await load('rt-rest.csv')
  const expected = [
    { name: '@mic', serial_number: '=1+1' },
    { name: '-20 dB pad', serial_number: '+442' },
  ]
  expect(await other.rows('name, serial_number')).toEqual(expected)
})
