import { beforeAll, describe, expect, test } from 'vitest'
import type { Studio } from '../sql/support.ts'
import { sentences, useImporter } from './support.ts'

const importer = useImporter()
let studio: Studio
beforeAll(async () => {
  studio = await importer.studio()
})

describe('a file that cannot be read on', () => {
  test('is refused with what was found up to there', async () => {
    const bytes = Buffer.concat([
      Buffer.from('external_key,name,purchase_price\nA,a,x\nB,b,1\n'),
      Buffer.from('C,caf\xe9,1\n', 'latin1'),
    ])
    expect(sentences(await importer.into(studio, 'items', bytes))).toEqual([
      expect.stringMatching(
        /^line 4: is not in UTF-8, but in another encoding such as Windows-1252; save it as "CSV UTF-8"/,
      ),
    ])
    const large = Buffer.concat([
      Buffer.from(`external_key,name,purchase_price\nA,a,x\n${'B,b,1\n'.repeat(20_000)}`),
      Buffer.from([0xe9]),
    ])
    expect(sentences(await importer.into(studio, 'items', large)).at(0)).toBe(
      'line 2, purchase_price "x": is not an amount; write a number such as 1234.50',
    )
    expect(sentences(await importer.into(studio, 'items', large)).at(-1)).toMatch(/^line \d+/)
  })

  test.each([
    ['', 'line 1: is empty; its first line is the header: external_key,…'],
    ['\n\n', 'line 1: is empty; its first line is the header: external_key,…'],
    ['PK\x03\x04 and so on', /^line 1: is a spreadsheet or an archive, not a CSV file or an XLSX workbook; open it/],
    ['name\nx\n', /^line 1, external_key: is missing, and it tells which row is which/],
  ])('%j', async (text, says) => {
    const [sentence, ...more] = sentences(await importer.into(studio, 'items', text))
    expect(more).toEqual([])
    if (typeof says === 'string') expect(sentence).toBe(says)
    else expect(sentence).toMatch(says)
  })
})
