import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { readParameters } from '../../src/api/parameters.ts'
import { allParameters } from '../../src/docs/openapi/schemas.ts'

const known = operations.find(({ id }) => id === 'list_items')?.parameters ?? {}
const read = (query: string) => readParameters(known, query)
const none = read('').values

describe('what no client would encode', () => {
  test.each([
    ...['%ZZ', '%ff', '%ED%A0%80', '1%00', '%E0%A5%A7', '%C2%B9', '0x1', '1%20', '%2B1', 'NaN', 'Infinity', '-0', '00'],
    ...['0', '-1', '', '1.5', '1e3', '%201', '%EF%BC%91', '1;2', 'null'],
  ])('page=%s: no positive integer', (text) => {
    for (const name of ['page', 'per_page']) {
      expect(read(`${name}=${text}`).errors).toEqual([
        { parameter: name, code: 'not_a_positive_integer', detail: `${name} must be a whole number of at least 1.` },
      ])
    }
  })

  test('a name that is encoded is the same name: repeated', () => {
    expect(read('per_page=1&%70er_page=2').errors).toMatchObject([{ parameter: 'per_page', code: 'repeated' }])
  })

  test.each([
    ...['page[]=0', 'page[0]=0', '__proto__=1', '__proto__[page]=0', 'constructor=1', 'PAGE=0', 'cursors=x'],
    ...['&&&', '=', 'status=nope', 'limit=0&limit=0'],
  ])('%s: ignored', (query) => {
    expect(read(query)).toMatchObject({ values: none, errors: [] })
  })

  test('in a category what is not UTF-8 is replaced, and a NUL character matches nothing', () => {
    expect(read('category=%ED%A0%80%ff%ZZ').values.category).toBe('\ufffd\ufffd\ufffd\ufffd%ZZ')
    expect(read('category=Microphones%00').values.category).toBe('')
  })
})

test('large numbers are the largest there is', () => {
  for (const large of ['9223372036854775808', '9007199254740993', '9'.repeat(400)]) {
    const { values } = read(`page=${large}&per_page=${large}`)
    expect([values.page, values.per_page]).toEqual([Number.MAX_SAFE_INTEGER, 100])
  }
})

test('any query is read without an exception and gives values of the right kind', () => {
  const names = Object.keys(allParameters)
  const pair = fc.tuple(
    fc.oneof(fc.constantFrom(...names), fc.string()),
    fc.oneof(fc.webQueryParameters(), fc.string({ unit: 'binary' })),
  )
  fc.assert(
    fc.property(fc.array(pair), (pairs) => {
      const query = pairs.map(([name, text]) => `${name}=${text}`).join('&')
      const { values, errors } = readParameters(allParameters, query)
      if (errors.length > 0) return
      const { page, per_page: perPage, category } = values
      expect(Number.isSafeInteger(page) && Number(page) >= 1).toBe(true)
      expect(Number(perPage) >= 1 && Number(perPage) <= 100).toBe(true)
      expect(String(category).includes('\0')).toBe(false)
      expect(Object.keys(values)).toEqual(names)
    }),
  )
})
