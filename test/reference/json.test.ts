import { expect, it } from 'vitest'

const browser = new URL('../../src/apps/docs/reference/browser/json.js', import.meta.url)
const { inLines }: { inLines(text: string): string } = await import(String(browser))

it.each([
  { data: [], meta: {}, a: [1, -2.5e-7, null, true], b: { c: { d: ['x', { e: '' }] } } },
  [[], [[]], {}, { a: [] }],
  'text with "quotes", {braces}, [brackets], \\ and : commas',
  '{"a":1}',
  null,
  0,
  [],
])('JSON is indented as JSON.stringify does it: %j', (value) => {
  expect(inLines(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
  expect(inLines(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2))
})

it('numbers and texts stay as they were written', () => {
  expect(inLines('{"price":1115.00,"big":12345678901234567890,"text":"\\u00e9\\/"}')).toBe(
    '{\n  "price": 1115.00,\n  "big": 12345678901234567890,\n  "text": "\\u00e9\\/"\n}',
  )
})

it.each(['', 'no JSON', '{"a":', '<html>', '{"a":1} '.repeat(2)])('what is no JSON stays as it is: %j', (text) => {
  expect(inLines(text)).toBe(text)
})
