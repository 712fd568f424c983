import { writeFile } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { openArchive } from '../../src/importer/xlsx/archive.ts'
import { partsOf, relationships, workbook, zipped } from '../support/workbook.ts'
import { expectDone, useWorkbooks } from './support.ts'

const { load, path, rowsOf, wrong } = useWorkbooks()
const header = ['external_key', 'name']
type Change = (parts: Record<string, string>) => Record<string, string | Buffer | undefined>

describe('what other programs write', () => {
  const rows = (key: string) => ({
    Gear: [header, [key, 'made']],
    Second: [header, ['SECOND', 'x']],
  })
  const sheet = 'xl/worksheets/sheet1.xml'
  const changed = (key: string, change: Change) => {
    const parts = partsOf(rows(key)) as Record<string, string>
    return zipped({ ...parts, ...change(parts) })
  }
  const replaced = (name: string, pattern: RegExp | string, by: string) => (parts: Record<string, string>) => ({
    [name]: parts[name]?.replaceAll(pattern, by),
  })

  test.each<[string, Change]>([
    ['rows and cells without references', replaced(sheet, / r="[A-Z]*\d+"/g, '')],
    [
      'elements with a prefix',
      (parts) => ({
        [sheet]: parts[sheet]?.replace(/<(\/?)/g, '<$1x:').replace('xmlns=', 'xmlns:x='),
        'xl/workbook.xml': parts['xl/workbook.xml']?.replace(/<(\/?)/g, '<$1x:').replace('xmlns=', 'xmlns:x='),
      }),
    ],
    [
      'a strict file',
      replaced(sheet, 'schemas.openxmlformats.org/spreadsheetml/2006', 'purl.oclc.org/ooxml/spreadsheetml'),
    ],
    ['UTF-16', (parts) => ({ [sheet]: Buffer.from(`\ufeff${parts[sheet]}`, 'utf16le') })],
    [
      'parts of other names, and absolute ones',
      (parts) => ({
        '_rels/.rels': relationships([['officeDocument', '/content/book.xml']]),
        'content/book.xml': parts['xl/workbook.xml'],
        'content/_rels/book.xml.rels': relationships([
          ['worksheet', '/tables/One.XML'],
          ['worksheet', '../xl/worksheets/sheet2.xml'],
        ]),
        'tables/one.xml': parts[sheet],
        'xl/workbook.xml': undefined,
        [sheet]: undefined,
      }),
    ],
    [
      'tabs in another order than the parts',
      (parts) => ({
        'xl/_rels/workbook.xml.rels': relationships([
          ['worksheet', 'worksheets/sheet2.xml'],
          ['worksheet', 'worksheets/sheet1.xml'],
        ]),
        [sheet]: parts['xl/worksheets/sheet2.xml'],
        'xl/worksheets/sheet2.xml': parts[sheet],
      }),
    ],
  ])('is read: %s', async (name, change) => {
    const key = `P-${name}`
    expectDone(await load(changed(key, change)), { added: 1 })
    expect(await rowsOf(key, 'name')).toHaveLength(1)
  })

  const damaged = 'line 1: is a damaged workbook; open it in the spreadsheet program and save it again, as XLSX'
  test.each<[string, Change]>([
    ['a document type', replaced(sheet, '<worksheet', '<!DOCTYPE x [<!ENTITY a "b">]><worksheet')],
    ['elements that do not end', replaced(sheet, '</row>', '')],
    ['a column ZZZZZZ', replaced(sheet, 'r="B2"', 'r="ZZZZZZ2"')],
    ['a column after the last', replaced(sheet, 'r="B2"', 'r="XFE2"')],
    ['a cell twice', replaced(sheet, 'r="B2"', 'r="A2"')],
    ['no sheet in its archive', () => ({ [sheet]: undefined })],
    ['another root', () => ({ [sheet]: '<chart xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"/>' })],
    ['other characters than it says', replaced(sheet, '<work', '<?xml version="1.0" encoding="ISO-8859-1"?><work')],
  ])('is refused: %s', async (_, change) => {
    expect(await wrong(changed('BROKEN', change))).toEqual([damaged])
  })

  test('is refused when a part of it is missing, or a byte of it is another', async () => {
    const bytes = workbook(rows('CUT'))
    expect(await wrong(bytes.subarray(0, -100))).toEqual([damaged])
    const wrongSum = Buffer.from(bytes)
    const at = bytes.lastIndexOf('xl/worksheets/sheet1.xml') - 30
    wrongSum.writeUInt8((wrongSum[at] ?? 0) ^ 1, at)
    expect(await wrong(wrongSum)).toEqual([damaged])
  })

  const neither = 'not a CSV file or an XLSX workbook'
  test.each<[string, Record<string, string>, string]>([
    ['an archive', { 'letter.txt': 'hello' }, `is an archive, ${neither}`],
    [
      'Numbers',
      { 'Index/Document.iwa': 'x' },
      `is a Numbers document, ${neither}; in Numbers choose File, Export To, Excel`,
    ],
    ['OpenDocument', { mimetype: 'application/vnd.oasis.opendocument.spreadsheet' }, 'is an OpenDocument file'],
    ['Word', { '_rels/.rels': relationships([['officeDocument', 'word/a']]) }, 'is a document of Word or PowerPoint'],
  ])('is named when it is none: %s', async (_, parts, wanted) => {
    expect(await wrong(zipped(parts))).toEqual([expect.stringContaining(`line 1: ${wanted}`)])
  })

  test('is refused before it is read, when it is small only as long as it is packed', async () => {
    await writeFile(path(), zipped({ 'xl/sharedStrings.xml': new Uint8Array(3 * 1024 * 1024) }))
    const most = { file: 1024 * 1024, sheet: 1024 * 1024, texts: 2 * 1024 * 1024, part: 1024 * 1024 }
    const { part, close } = await openArchive(path(), most)
    const read = async (limit: 'sheet' | 'texts') => Readable.from(part('xl/sharedStrings.xml', limit)).toArray()
    await expect(read('sheet')).rejects.toThrow('is too large: unpacked sheets are at most 1 MiB')
    await expect(read('texts')).rejects.toThrow('is too large: its texts are at most 2 MiB')
    close()
    await expect(openArchive(path(), { ...most, file: 1 })).rejects.toThrow('is too large: workbooks are at most')
  })
})
