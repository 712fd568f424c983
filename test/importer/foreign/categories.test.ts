import { expect, test } from 'vitest'
import { beginning, categoriesIn } from '../../../src/apps/importer/foreign/categories.ts'

test('no cell of a file of categories is a formula, and what is written beside it is found again', () => {
  const file = beginning(
    new Map([
      ['=1+1', 3],
      ["'quoted'", 2],
    ]),
  )
  expect(file).toBe("theirs,ours,rows\r\n'=1+1,,3\r\n'quoted',,2\r\n")
  const filled = file.replace('1,,', '1,Microphones,').replace("d',,", "d',Acoustic Treatment & Furniture,")
  const known = categoriesIn(filled, 'categories.csv')
  expect([known.get('=1+1'), known.get("'quoted'")]).toEqual(['Microphones', 'Acoustic Treatment & Furniture'])
})
