import { Readable } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectDelimiter } from '../../src/importer/csv/find-header.ts'
import { readHeader } from '../../src/importer/csv/header.ts'
import { type Batch, recordsOf } from '../../src/importer/csv/records.ts'
import { decode, linesOf } from '../../src/importer/csv/text.ts'
import { csvLine, sentence, UnreadableFile } from '../../src/importer/row-errors.ts'
import { kindNamed } from './support.ts'

/** Bytes in chunks of a size. */
async function* chunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function textOf(bytes: Buffer, size = 7): Promise<string> {
  return (await Readable.from(decode(chunks(bytes, size))).toArray()).join('')
}

async function batchesOf(text: string, size: number): Promise<Batch[]> {
  const parts = Readable.from(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])
  return (await Readable.from(recordsOf(linesOf(parts), ',')).toArray()) as Batch[]
}

/** Rows as `line: cells` and what is wrong, in the order of the lines. */
async function read(text: string, size = 5): Promise<string[]> {
  return (await batchesOf(text, size))
    .flatMap(({ records, errors }) => [
      ...records.map(({ line, cells }) => ({ line, text: `${line}: ${cells.join(' / ')}` })),
      ...errors.map((error) => ({ line: error.line ?? 0, text: `${error.line}! ${error.value}` })),
    ])
    .toSorted((a, b) => a.line - b.line)
    .map(({ text }) => text)
}

describe('encodings', () => {
  const text = 'external_key,name\r\nÄ-1,Ω 💡 „Mikrofon“\r\n'

  test.each([1, 2, 3, 5, 64])(
    'UTF-8 with and without a mark, and UTF-16 both ways round, in chunks of %i bytes',
    async (size) => {
      const little = Buffer.from(`\ufeff${text}`, 'utf16le')
      expect(await textOf(Buffer.from(text), size)).toBe(text)
      expect(await textOf(Buffer.from(`\ufeff${text}`), size)).toBe(text)
      expect(await textOf(little, size)).toBe(text)
      expect(await textOf(Buffer.from(little).swap16(), size)).toBe(text)
    },
  )

  const refusal = async (bytes: Buffer, size?: number) => {
    const error = await textOf(bytes, size).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UnreadableFile)
    const { line, message, hint } = error as UnreadableFile
    return `${line}: ${message}; ${hint}`
  }

  test.each([1, 4, 100])('Windows-1252 is refused on the line where it shows, in chunks of %i bytes', async (size) => {
    const bytes = Buffer.from('key,name\nA,plain\nB,plain\nC,caf\xe9\nD,x\n', 'latin1')
    expect(await refusal(bytes, size)).toMatch(/^4: is not in UTF-8, .*Windows-1252; .*CSV UTF-8/)
  })

  test('half a character at the end is refused', async () => {
    expect(await refusal(Buffer.from([0x61, 0xc3]))).toMatch(/^1: is not in UTF-8/)
    expect(await refusal(Buffer.from([0xff, 0xfe, 0x61]))).toMatch(/UTF-16/)
    expect(await refusal(Buffer.from([0xff, 0xfe, 0x61, 0x00, 0x00, 0xd8]))).toMatch(/UTF-16/)
  })

  test.each([
    ['UTF-16 without a mark', 'a\0,\0b\0\n\0', /NUL characters/],
    ['an archive', 'PK\x03\x04xxxxxxxx', /spreadsheet or an archive.*CSV UTF-8/],
    ['an old workbook', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', /Excel workbook/],
    ['a compressed file', '\x1f\x8b\x08\x00', /compressed; unpack/],
    ['a PDF', '%PDF-1.7\n', /is a PDF,/],
    ['a PNG', '\x89PNG\r\n\x1a\n', /is a picture/],
    ['a GIF', 'GIF89a\x01\x00\x01\x00', /is a picture/],
    ['a JPEG', '\xff\xd8\xff\xe0\x00\x10JFIF', /is a picture/],
    ['a WebP', 'RIFF\x24\x00\x00\x00WEBPVP8 ', /is a picture/],
    ['a HEIC', '\x00\x00\x00\x18ftypheic\x00\x00', /is a picture/],
    ['an AVIF', '\x00\x00\x00\x1cftypavif\x00\x00', /is a picture/],
    ['a web page', '<!doctype html>', /HTML or XML/],
  ])('a file that is no text is named: %s', async (_, bytes, named) => {
    expect(await refusal(Buffer.from(bytes, 'latin1'))).toMatch(named)
  })
})

describe('rows', () => {
  test.each(['\n', '\r\n', '\r'])('are told by the line that they begin on, with line breaks %j', async (lineBreak) => {
    const lines = ['a,b', '1,2', `"x${lineBreak}y",3`, '', '4,"5"', ',', `"${lineBreak}${lineBreak}",6`, '7,8']
    const text = lines.join(lineBreak)
    expect(await read(text)).toEqual([
      '1: a / b',
      '2: 1 / 2',
      `3: x${lineBreak}y / 3`,
      '6: 4 / 5',
      `8: ${lineBreak}${lineBreak} / 6`,
      '11: 7 / 8',
    ])
    expect(await read(`${text}${lineBreak}`)).toHaveLength(6)
  })

  test('quotation marks that do not fit are an error on their line, and the next lines are read', async () => {
    expect(await read('a,b\n1,12" tom\n2,"x"y\n3,ok\n4,"open\n5,ok\n6,"ok"\n7,a"b"c\n8,ok\n')).toEqual([
      '1: a / b',
      '2! 1,12" tom',
      '3! 2,"x"y',
      '4: 3 / ok',
      '5! 4,"open',
      '6: 5 / ok',
      '7: 6 / ok',
      '8! 7,a"b"c',
      '9: 8 / ok',
    ])
  })

  test('it does not cost more memory than a long row may', async () => {
    const rows = Array.from({ length: 60_000 }, (_, row) => `row ${row},some text that takes room`)
    const found = await read(`1,"open\n${rows.join('\n')}\n`, 65_536)
    expect(found[0]).toBe('1! 1,"open')
    expect(found).toHaveLength(60_001)
    expect(found.at(-1)).toBe('60001: row 59999 / some text that takes room')
  })

  test('whatever is written as CSV is read back, in any chunks', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '\r\n', ' ', 'é', '💡'), maxLength: 8 })
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 40 }), async (rows, size) => {
        const text = `head\r\n${rows.map(csvLine).join('')}`
        const batches = await batchesOf(text, size)
        expect(batches.flatMap(({ errors }) => errors)).toEqual([])
        const read = batches.flatMap(({ records }) => records.map(({ cells }) => cells))
        expect(read.slice(1)).toEqual(rows.filter((cells) => cells.some((text) => text.trim() !== '')))
      }),
    )
  })
})

describe('the header', () => {
  const items = kindNamed('items')

  test.each([
    ['external_key,name,tags', ','],
    ['external_key;name;tags', ';'],
    ['external_key\tname\ttags', '\t'],
    ['"external_key";"name, of the thing";tags', ';'],
    ['external_key', ','],
  ])('%j is separated by %j', (header, delimiter) => {
    expect(detectDelimiter(header, items)).toBe(delimiter)
  })

  test('has columns in any order and case, each with a name', () => {
    const { places, errors } = readHeader(1, ['Name', ' EXTERNAL_KEY ', 'tags', ''], items)
    expect(errors.map(sentence)).toEqual(['line 1, column 4 "": has no name; name it, or remove it'])
    expect(places.map(({ column, indexes }) => [column.name, indexes])).toEqual([
      ['name', [0]],
      ['external_key', [1]],
      ['tags', [2]],
    ])
  })
})
