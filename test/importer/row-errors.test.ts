import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { sentenceOf } from '../../src/importer/row-errors.ts'
import type { Studio } from '../sql/support.ts'
import { type Outcome, sentences, useImporter } from './support.ts'

const importer = useImporter()
let studio: Studio

beforeAll(async () => {
  studio = await importer.studio()
  await importer.into(studio, 'locations', 'external_key,name\nROOM,Live room\nT1,Twin\nT2,Twin\n')
  await importer.into(studio, 'items', 'external_key,name\nMINE,Mine\n')
})

/** A line of the file, and what the import must say about it, without the number of the line. */
type Planted = [line: string, ...wrong: string[]]

const good = 'G%,Good one,Microphones,a|b,ROOM,12.50,2024-02-29,none,60,1,2,3,4,no'

const planted: Planted[] = [
  [
    "external_key,name,category,tags,location,purchase_price,acquisition_date,depreciation_method,useful_life_months,residual_value,manual_value,replacement_cost,reported_insured_value,archived,owner's colour,NAME",
    String.raw`column 15 "owner's colour": is not a column of items; leave it out with --map 'owner'\''s colour=', or remove it`,
    'name "NAME": appears twice; remove one of the two',
  ],
  ['G1,"Good, and on\r\ntwo lines",Microphones,a|b,ROOM,12.50,2024-02-29,none,60,1,2,3,4,no,,'],
  [
    '3,12" tom,,,,,,,,,,,,,,',
    ' "3,12" tom,,,,,,,,,,,,,,": has a quotation mark that is not closed, or is inside a cell; put the whole cell in quotation marks and double those inside, such as "12"" speaker"',
  ],
  ['5,too few', ': has 2 cells, but the header has 16; end the line with a delimiter for each empty cell'],
  [
    '6,too many,,,,,,,,,,,,,,,1,2',
    ': has 18 cells, but the header has 16; put a cell that contains the delimiter in quotation marks',
  ],
  [' ,no key,,,,,,,,,,,,,,', 'external_key: is empty; write a value such as MIC-001'],
  [
    '"8\na",,,,,,,,,,,,,,,',
    'external_key "8 a": has a line break or a tab in it; write it on one line',
    'name: is empty; write a value such as Neumann U 87 Ai',
  ],
  ['G1,again,,,,,,,,,,,,,,', 'external_key "G1": is already on line 2; give each row its own key'],
  ['13,x,Mikrophones,,,,,,,,,,,,,', 'category "Mikrophones": is not one of the values; the nearest is Microphones'],
  [
    '15,x,,,Nowhere,,,,,,,,,,,',
    'location "Nowhere": matches nothing in this studio; write the external key, id or name of a location that exists',
  ],
  ['20,x,,,,"12,5",,,,,,,,,,', 'purchase_price "12,5": has a decimal comma; write 12.5'],
  [
    '26,x,,,,,31/12/2024,linear,,,,,,,,',
    'acquisition_date "31/12/2024": is not an ISO date; write 2024-12-31',
    'depreciation_method "linear": is not one of the values; write none, straight_line, declining_balance, double_declining_balance',
  ],
  [good.replace('%', '2').concat(',,')],
  [
    '36,"never closed,,,,,,,,,,,,,,',
    ' "36,"never closed,,,,,,,,,,,,,,": has a quotation mark that is not closed, or is inside a cell; put the whole cell in quotation marks and double those inside, such as "12"" speaker"',
  ],
  [good.replace('%', '3').concat(',,')],
]

const text = `${planted.map(([line]) => line).join('\r\n')}\r\n`
const expected = planted.flatMap(([, ...wrong], at) => {
  const before = planted.slice(0, at).map(([line]) => line.split('\n').length)
  const line = before.reduce((sum, lines) => sum + lines, 1)
  return wrong.map((what) => `line ${line}${/^[ :]/.test(what) ? '' : ', '}${what}`)
})

describe('a file with an error of each kind', () => {
  test('all are in the report, with line, column, value and what would be right, and nothing is written', async () => {
    const before = await importer.admin.rows('select * from app.items order by id')
    const version = await studio.dataVersion()
    const outcome = await importer.into(studio, 'items', text)
    expect(sentences(outcome).toSorted()).toEqual(expected.toSorted())
    expect(outcome).toMatchObject({ added: 0, changed: 0, errors: { count: expected.length } })
    const lines = outcome.report.map((error) => error.line ?? 0)
    expect(lines).toEqual(lines.toSorted((a, b) => a - b))
    expect(await importer.admin.rows('select * from app.items order by id')).toEqual(before)
    expect(await studio.dataVersion()).toBe(version)
  })
})

test('no cell of the report is a formula, whatever is in the file', async () => {
  const reportFile = join(importer.folder, 'report.csv')
  const formulas = ['=1+1', '+1', '-cmd', '@SUM(A1)', '=HYPERLINK("http://x";"y")']
  const lines = formulas.map((text, index) => `K${index},Name,"${text.replaceAll('"', '""')}"`)
  await importer.into(studio, 'items', `external_key,name,location\n${lines.join('\n')}\n`, { reportFile })
  const rows: Record<string, string>[] = parse(await readFile(reportFile), { columns: true })
  expect(rows.map(({ value }) => value)).toEqual(formulas.map((text) => `'${text}`))
})

/** What a person is told of the errors, line by line. */
const told = ({ errors }: Outcome) => errors.causes.map(sentenceOf)

describe('errors with the same cause', () => {
  test('are one error, with the number of its lines and the first of them', async () => {
    const rows = Array.from({ length: 103 }, (_, row) => `K${row},Name,${row % 34 === 0 ? 'Atic' : 'Studio B'}`)
    const outcome = await importer.into(studio, 'items', `external_key,name,location\n${rows.join('\n')}\n`)
    const where = 'matches nothing in this studio; write the external key, id or name of a location that exists'
    expect(told(outcome)).toEqual([
      `lines 2, 36, 70 and 1 more, location "Atic": ${where}`,
      `lines 3, 4, 5 and 96 more, location "Studio B": ${where}`,
    ])
    expect(outcome.errors).toMatchObject({ count: 103, lines: 103, different: 2 })
  })

  test('do not hide those of another kind, however many there are', async () => {
    const rows = Array.from({ length: 3000 }, (_, row) => `K${row},Name,"${row},5",no`)
    rows.push('LAST,Name,1,perhaps', 'K0,Name,1,no', 'K1,Name,1,no')
    const file = `external_key,name,purchase_price,archived\n${rows.join('\n')}\n`
    const { errors } = await importer.into(studio, 'items', file)
    expect(errors).toMatchObject({ count: 3003, different: 3003 })
    expect(errors.causes.map(({ lines, column, more }) => [lines[0], column, more])).toEqual([
      ...[2, 3, 4, 5].map((line) => [line, 'purchase_price', 0]),
      [6, 'purchase_price', 2995],
      [3002, 'archived', 0],
      [3003, 'external_key', 0],
      [3004, 'external_key', 0],
    ])
  })
})
