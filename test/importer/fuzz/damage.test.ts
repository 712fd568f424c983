import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { csvLine } from '../../../src/importer/row-errors.ts'
import { partsOf, zipped } from '../../support/workbook.ts'
import { kindNamed } from '../support.ts'
import { count, type Read, read, runs, useFuzz } from './support.ts'

useFuzz()

/** Damage to bytes: some are changed, or left out, or the end is missing. */
const damages = fc.record({
  changes: fc.array(fc.tuple(fc.nat(9_999), fc.nat(255)), { minLength: 1, maxLength: 3 }),
  how: fc.constantFrom('changed', 'removed', 'cut', 'doubled'),
})
type Damage = typeof damages extends fc.Arbitrary<infer Of> ? Of : never

function damage(bytes: Buffer, { changes, how }: Damage): Buffer {
  let result = Buffer.from(bytes)
  for (const [place, byte] of changes) {
    const at = Math.floor((place / 10_000) * result.length)
    const [before, after] = [result.subarray(0, at), result.subarray(at)]
    if (how === 'changed') result[at] = byte
    else if (how === 'removed') result = Buffer.concat([before, after.subarray(1 + (byte % 40))])
    else if (how === 'cut') result = before
    else result = Buffer.concat([before, after.subarray(0, byte % 40), after])
  }
  return result
}

describe('a file that is damaged', () => {
  const items = kindNamed('items')
  const names = ['external_key', 'name', 'serial_number', 'purchase_price', 'acquisition_date']
  const rowOf = (at: number) => [`K${at}`, `Näme ${at} "x"`, at * 1000, at + 0.5, new Date('2024-03-01')]
  const rows = Array.from({ length: 12 }, (_, at) => rowOf(at))
  const texts = ['<t>shared</t>', '<r><t>ri</t></r><r><t>ch</t></r>']
  const sheets = {
    Gear: [names, ...rows, ['K90', { t: 's', v: '0' }], ['K91', { t: 's', v: '1' }, null, { f: '1+1', v: '2' }]],
    Old: [['x']],
  }
  const book = partsOf(sheets, { texts, tail: '<mergeCells><mergeCell ref="C14:C15"/></mergeCells>' })
  const parts = Object.entries(book) as [string, string][]
  const whole = zipped(book)
  const lineOf = (row: (string | number | Date)[]) =>
    csvLine(row.map((cell) => (cell instanceof Date ? '2024-03-01' : `${cell}`)))
  const csv = Buffer.from([names, ...rows].map(lineOf).join(''))
  const ended = ({ errors, rows: written }: Read) =>
    errors.length === 0 ? 'read' : written.size === 0 ? 'refused at once' : 'refused'

  const namesLines = ({ errors }: Read) => expect(errors.every(({ line }) => line >= 1)).toBe(true)

  test('as an archive has the same rows, or is refused', async () => {
    const wanted = await read(whole, items)
    expect([wanted.rows.size, wanted.errors]).toEqual([14, []])
    const stored = zipped(book, Infinity)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(whole, stored), damages, async (bytes, how) => {
        const got = await read(damage(bytes, how), items)
        namesLines(got)
        if (got.errors.length === 0) expect(got.rows).toEqual(wanted.rows)
        count('archives', ended(got))
      }),
      { numRuns: runs * 4 },
    )
  })

  test('with its parts in any order has the same rows', async () => {
    const wanted = await read(whole, items)
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(parts, { minLength: parts.length }), async (order) => {
        expect(await read(zipped(Object.fromEntries(order)), items)).toEqual(wanted)
        count('orders', 'read')
      }),
      { numRuns: Math.ceil(runs / 4) },
    )
  })

  test('in its XML ends in rows or a refusal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...parts), damages, async ([name, text], how) => {
        const got = await read(zipped({ ...book, [name]: damage(Buffer.from(text), how) }), items)
        namesLines(got)
        count('XML', ended(got))
      }),
      { numRuns: runs * 4 },
    )
  })

  test('as CSV ends in rows or a refusal; cut short, all rows but the last are as they were', async () => {
    const wanted = await read(csv, items)
    await fc.assert(
      fc.asyncProperty(damages, async (how) => {
        const got = await read(damage(csv, how), items)
        namesLines(got)
        const kept = [...got.rows].slice(0, -1)
        if (how.how === 'cut') expect(kept).toEqual([...wanted.rows].slice(0, kept.length))
        count('CSV', ended(got))
      }),
      { numRuns: runs * 4 },
    )
  })
})
