import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { layOut } from '../../src/cli/table.ts'

const columns = {
  name: { heading: 'NAME', least: 8 },
  amount: { heading: 'AMOUNT', numeric: true },
  id: { heading: 'ID' },
} as const
const rows = [
  { name: 'A microphone with a very long name', amount: '1.00', id: '0b0f2c9e-5d0a' },
  { name: '東京スタジオの録音機材一覧表', amount: '12345.00', id: null },
]

describe('a table', () => {
  test('in a pipe leaves nothing out and is aligned', () => {
    expect(layOut(rows, columns, undefined)).toEqual([
      'NAME                                  AMOUNT  ID',
      'A microphone with a very long name      1.00  0b0f2c9e-5d0a',
      '東京スタジオの録音機材一覧表        12345.00  -',
    ])
  })

  test('on a terminal shortens names, never ids, and is as wide as the terminal', () => {
    const lines = layOut(rows, columns, 45)
    expect(lines).toEqual([
      'NAME                    AMOUNT  ID',
      'A microphone with a…      1.00  0b0f2c9e-5d0a',
      '東京スタジオの録音…   12345.00  -',
    ])
    for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(45)
  })

  test('where even short names do not fit writes each row as a block, with ids in full', () => {
    expect(layOut(rows, columns, 20)).toEqual([
      'NAME    A microphon…',
      'AMOUNT  1.00',
      'ID      0b0f2c9e-5d0a',
      '',
      'NAME    東京スタジ…',
      'AMOUNT  12345.00',
      'ID      -',
    ])
  })

  test('is not broken by a line break or an escape sequence in a cell', () => {
    expect(layOut([{ name: 'a\nb\u001b[31mc', amount: '', id: 'x' }], columns, undefined)[1]).toBe(
      'a b [31mc       -  x',
    )
  })
})
