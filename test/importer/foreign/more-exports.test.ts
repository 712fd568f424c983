import { expect, test } from 'vitest'
import type { DoubtName } from '../../../src/importer/doubts.ts'
import { mappingOf } from '../../../src/importer/foreign/mapping.ts'
import { tools } from '../../../src/importer/foreign/tools.ts'
import { kindNamed, sentences, useImporter } from '../support.ts'

const importer = useImporter()

type Export = {
  of: string
  so: string
  file: string[]
  from?: string
  map?: string[]
  key?: string
  dates?: string
  decimal?: 'comma' | 'point'
  accept?: DoubtName[]
  /** What is refused until it is accepted, by line. */
  refused?: string[]
  rows: string[]
}

const exports: Export[] = [
  {
    of: 'Airtable',
    so: 'a status of sold is doubted, and amounts have the sign of the currency',
    file: [
      'Name,Asset ID,Cost,Status,Tags,Sale date',
      'U 87,A1,"€2,650.00",In use,"vocal, large",',
      'SM57,A2,€99.00,Sold,,',
      'C414,A3,€99.00,,,2023-01-01',
    ],
    map: ['Asset ID=external_key', 'Cost=purchase_price'],
    decimal: 'point',
    refused: [
      '2 tags: has commas, and would be one label',
      ...['3 Status', '4 Sale date'].map((cell) => `${cell}: says that it is gone, and it would be imported as owned`),
    ],
    accept: ['states', 'comma_lists'],
    rows: ['A1|U 87|2650.00|vocal+large|owned', 'A2|SM57|99.00||gone', 'A3|C414|99.00||gone'],
  },
  {
    of: 'Encircle',
    so: 'amounts in another currency are refused, and so is a quantity',
    file: ['Item,Quantity,Purchase Price', 'Lamp,2,€40.00', 'Desk,1,"$1,200.00"'],
    map: ['Item=name', 'Purchase Price=purchase_price'],
    key: 'name',
    decimal: 'point',
    refused: [
      "3 purchase_price: is in $, and the studio's currency is EUR",
      '2 Quantity: is 2 pieces: one item would leave out 1 worth 40.00',
    ],
    rows: [],
  },
  {
    of: 'Nest Egg',
    so: 'years of two digits end in this century or the last',
    file: ['Name,Code,Date', 'Old,N1,12/31/78', 'New,N2,01/02/21'],
    map: ['Code=external_key', 'Date=acquisition_date'],
    dates: 'mm/dd/yy',
    rows: ['N1|Old|0.00||owned|1978-12-31', 'N2|New|0.00||owned|2021-01-02'],
  },
  {
    of: 'a German spreadsheet',
    so: 'decimal commas, a column called Anzahl and a row called Summe',
    file: [
      'Bezeichnung;Inventarnummer;Kaufpreis;Anzahl',
      'Mikrofon;1;1.250,00;1',
      'Kabel;2;10,00 €;2',
      'Summe;;1.270,00;',
    ],
    map: ['Bezeichnung=name', 'Inventarnummer=external_key', 'Kaufpreis=purchase_price'],
    decimal: 'comma',
    refused: [
      '3 Anzahl: is 2 pieces: one item would leave out 1 worth 10.00',
      '4 Bezeichnung: is the label of a total, not a name',
    ],
    accept: ['quantities', 'total_rows'],
    rows: ['1|Mikrofon|1250.00||owned', '2|Kabel|10.00||owned', '2/2|Kabel|10.00||owned'],
  },
  {
    of: 'Snipe-IT, of a label of one’s own',
    so: 'lost and stolen assets are archived, and other labels are not',
    file: [
      'Asset Tag,Asset Name,Serial,Status,Cost,Category',
      'T1,Mic,S1,Lost/Stolen (Undeployable),100.00,Microphones',
      'T2,Mic,S2,Ready to rent (Deployable),100.00,Microphones',
      'T3,Mic,S3,Not lost (Deployable),100.00,Microphones',
    ],
    from: 'snipe-it',
    rows: ['T1|Mic|100.00||gone', 'T2|Mic|100.00||owned', 'T3|Mic|100.00||owned'],
  },
  {
    of: 'Booqable',
    so: 'bulk stock is pieces, and none of it is no item',
    file: ['id,name,stock_count,Quantity,base_price', 'b1,Stand,,3,20.00', 'b2,Gone,,0,5.00'],
    map: ['id=external_key', 'base_price=purchase_price'],
    refused: [
      '2 Quantity: is 3 pieces: one item would leave out 2 worth 40.00',
      '3 Quantity: is no piece, and would become an item',
    ],
    accept: ['quantities'],
    rows: ['b1|Stand|20.00||owned', 'b1/2|Stand|20.00||owned', 'b1/3|Stand|20.00||owned'],
  },
  {
    of: 'Numbers',
    so: 'a title above the table and a remark below it are left out',
    file: ['Studio gear,,', 'Name,Tag No,Price', 'Mic,1,10', 'Printed on 3 March 2024,,'],
    map: ['Tag No=external_key', 'Price=purchase_price'],
    refused: ['4 Name: is a remark, not a name'],
    accept: ['total_rows'],
    rows: ['1|Mic|10.00||owned'],
  },
  {
    of: 'LibreOffice',
    so: 'a header on each page and rows of zeros are left out, and headings are doubted',
    file: ['Name,Key,Price', 'MICROPHONES,,', 'Mic,1,10', 'Name,Key,Price', ',,0.00', 'Mic,2,20'],
    map: ['Key=external_key', 'Price=purchase_price'],
    refused: ['2 Name: stands alone, as the heading of the rows below it does'],
    accept: ['total_rows'],
    rows: ['1|Mic|10.00||owned', '2|Mic|20.00||owned'],
  },
  {
    of: 'a database',
    so: 'missing values are doubted, and amounts have six decimals',
    file: ['key,name,serial_number,purchase_price', 'd1,Mic,NULL,2650.000000', 'd2,Amp,S2,99.500000'],
    map: ['key=external_key'],
    refused: ['2 serial_number: is an error or a missing value of another program'],
    accept: ['error_texts'],
    rows: ['d1|Mic|2650.00||owned', 'd2|Amp|99.50||owned'],
  },
  {
    of: 'a rental program',
    so: 'equal rows without keys are doubted, and a price that lost its decimal mark',
    file: [
      'name,serial_number,category,purchase_price',
      ...Array.from({ length: 8 }, (_, at) => `Mic ${at},S${at},Microphones,${100 + at}`),
      'Mic 7,S7,Microphones,107',
      'Mic 8,S8,Microphones,265000',
    ],
    key: 'none',
    refused: [
      '10 null: is equal to line 9',
      '11 purchase_price: is more than 100 times the usual amount of Microphones, 104',
    ],
    accept: ['equal_rows', 'large_amounts'],
    rows: [
      '1|Mic 0|100.00||owned',
      '10|Mic 8|265000.00||owned',
      ...Array.from({ length: 7 }, (_, at) => `${at + 2}|Mic ${at + 1}|${101 + at}.00||owned`),
      '9|Mic 7|107.00||owned',
    ],
  },
]

test.each(exports)(
  'a file of $of: $so',
  async ({ file, from, map, key, dates, decimal, refused = [], accept, rows }) => {
    const studio = await importer.studio()
    const mapping =
      (from ?? map) === undefined ? undefined : mappingOf(kindNamed('items'), map ?? [], tools[from ?? ''])
    const options = {
      ...(mapping && { mapping }),
      ...(key && { key }),
      formats: { ...(dates && { dates }), ...(decimal && { decimal }) },
    }
    const content = `${file.join('\n')}\n`
    const { report } = await importer.into(studio, 'items', content, options)
    const found = report.map(({ line, column, problem }) => `${line} ${column}: ${problem}`)
    expect(found.toSorted()).toEqual(refused.toSorted())
    if (refused.length > 0) expect(await importer.rows(studio, 'items', 'name')).toEqual([])
    if (accept)
      expect(
        sentences(await importer.into(studio, 'items', content, { ...options, accepted: new Set(accept) })),
      ).toEqual([])
    const gone = `case when archived_at is null then 'owned' else 'gone' end`
    const day = dates === undefined ? '' : ', acquisition_date'
    const columns = `concat_ws('|', external_key, name, purchase_price, array_to_string(tags, '+'), ${gone}${day}) as row`
    expect((await importer.rows(studio, 'items', columns)).map(({ row }) => row)).toEqual(rows)
  },
)

const prices = ['Price', 'Total cost'].map((name) => `${name}=purchase_price`)
const map = ['Name=name', 'Key=external_key', 'Insured (k€)=reported_insured_value', ...prices]
const totals = [3, 4, 5].map((line) => `${line} Name: is the label of a total, not a name`)

/** What came in wrong without a word, a file with it, and what is refused. */
test.each<[string, string, string[]]>([
  ['totals of groups', 'Name,Key,Price\nMic,1,10\nMics total,,10\nTotal: 10,,10\nÜbertrag,T,10', totals],
  ['a column that is there twice', 'Name,Key,Price,Price\nMic,1,10,20', ['1 purchase_price: appears twice']],
  ['a column in two spellings', 'tags,Tags,Key,Name\n1,2,A,Mic', ['1 tags: appears twice']],
  ['misread letters', 'Name,Key\nKÃ¼che,1\nSÃO Â,2', ['2 name: has letters that a program has misread']],
  ['pieces that may be thousands', 'Name,Key,Qty\nPick,1,"1,000"\nA,2,1.00', ['2 Qty: is not a number of pieces']],
  ['keys', 'Name,Key\nMic,m-1\nMic,M-1', ['3 external_key: is the key m-1 in other capital letters']],
  ['amounts in k€', 'Name,Key,Insured (k€)\nMic,1,3', ['1 reported_insured_value: counts in k€']],
  [
    'sums of pieces',
    'Name,Key,Qty,Total cost\nMic,1,4,400\nAmp,2,1,100',
    ['2 purchase_price: is the sum of 4 pieces, by the name "Total cost"'],
  ],
])('%s: refused', async (_, content, refused) => {
  const options = { mapping: mappingOf(kindNamed('items'), map), accepted: new Set(['quantities'] as const) }
  const { report } = await importer.into(await importer.studio(), 'items', content, options)
  expect(report.map(({ line, column, problem }) => `${line} ${column}: ${problem}`)).toEqual(refused)
})

test.each([
  [
    'A1,Mic,S-1,100.00\nA2,Mic,S-2,99.00\n',
    'line 1: has no header: its first line seems to be a record; write the names of the columns into a line above it, such as external_key,name,manufacturer,model',
  ],
  [
    '[{"name":"Mic","price":100}]\n',
    'line 1: is JSON, not a CSV file; export the table from the program that made it, as CSV',
  ],
  ['{\n  "items": []\n}\n', 'line 1: is JSON, not a CSV file; export the table from the program that made it, as CSV'],
])('a file that is no table with a header says so: %j', async (content, wrong) => {
  expect(await importer.wrong(await importer.studio(), 'items', content)).toEqual([wrong])
})
