import { describe, expect, test } from 'vitest'
import { useSql } from '../support.ts'

const sql = useSql()

/** The vocabulary of the contract, to the byte: the dash of the third one is U+2014. */
const vocabulary = [
  'Microphones',
  'Preamps & Channel Strips',
  'Outboard \u2014 Dynamics & EQ',
  'Effects & Reverb Units',
  'Mixing Consoles & Summing',
  'Recorders & Tape Machines',
  'Interfaces & Converters',
  'Monitoring & Headphones',
  'Guitars & Basses',
  'Keyboards & Synthesizers',
  'Drums & Percussion',
  'Amplifiers & Cabinets',
  'Computers & Software',
  'Cables, Stands & Accessories',
  'Acoustic Treatment & Furniture',
  'Other / Uncategorised',
]

describe('the vocabulary', () => {
  test('is the 16 values of the contract, byte for byte and in its order', async () => {
    const rows = await sql.admin.rows<{ bytes: Buffer }>(
      `select convert_to(name, 'UTF8') as bytes from app.categories order by position`,
    )
    expect(rows.map((row) => row.bytes.toString('hex'))).toEqual(
      vocabulary.map((name) => Buffer.from(name).toString('hex')),
    )
  })
})

describe('writing a category', () => {
  const refused: [why: string, written: string | null][] = [
    ['a hyphen for the em dash', 'Outboard - Dynamics & EQ'],
    ['an en dash for the em dash', 'Outboard \u2013 Dynamics & EQ'],
    ['the American spelling', 'Other / Uncategorized'],
    ['a trailing space', 'Microphones '],
    ['a leading space', ' Microphones'],
    ['a no-break space', 'Guitars\u00a0& Basses'],
    ['and for the ampersand', 'Guitars and Basses'],
    ['a full-width letter', '\uff2dicrophones'],
    ['a letter with a combining mark', 'Microphone\u0301s'],
    ['the singular', 'Microphone'],
    ['the empty string', ''],
    ['the star of the counters', '*'],
    ['null', null],
  ]

  test.each(refused)('refuses %s, on insert and on update, and stores nothing', async (_why, written) => {
    const studio = await sql.studio()
    const id = await studio.add('items', { category: 'Microphones' })
    await expect(studio.add('items', { category: written })).rejects.toMatchObject({ code: '23514' })
    await expect(studio.change('items', id, { category: written })).rejects.toMatchObject({ code: '23514' })
    expect(await studio.get('items', id)).toMatchObject({ category: 'Microphones' })
    expect(await sql.admin.value('select count(*) from app.items where studio_id = $1', [studio.id])).toBe('1')
  })
})
