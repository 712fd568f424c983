import { describe, expect, test } from 'vitest'
import { layOut } from '../../src/cli/table.ts'

const columns = {
  name: { heading: 'NAME' },
  amount: { heading: 'AMOUNT', numeric: true },
  id: { heading: 'ID' },
} as const
const rows = [
  { name: 'A microphone with a very long name', amount: '1.00', id: '0b0f2c9e-5d0a' },
  { name: '東京スタジオの録音機材一覧表', amount: '12345.00', id: null },
]

describe('a table', () => {
  test('in a pipe leaves nothing out and is aligned', () => {
    expect(layOut(rows, columns, 999)).toEqual([
      'NAME                                  AMOUNT  ID',
      'A microphone with a very long name      1.00  0b0f2c9e-5d0a',
      '東京スタジオの録音機材一覧表        12345.00  -',
    ])
  })

  test('that is wider than the terminal has a block of lines for each row, with nothing left out', () => {
    expect(layOut(rows, columns, 59)).toHaveLength(3)
    expect(layOut(rows, columns, 58).slice(0, 5)).toEqual([
      'NAME    A microphone with a very long name',
      'AMOUNT  1.00',
      'ID      0b0f2c9e-5d0a',
      '',
      'NAME    東京スタジオの録音機材一覧表',
    ])
  })

  test('is not broken by a line break or an escape sequence in a cell', () => {
    expect(layOut([{ name: 'a\nb\u001b[31mc', amount: '', id: 'x' }], columns, 999)[1]).toBe('a b [31mc       -  x')
  })
})
