import { describe, expect, test } from 'vitest'
import { BadAddress, readAddresses } from '../../src/auth/token-limits.ts'

test.each([
  ['203.0.113.7', ['203.0.113.7']],
  ['203.0.113.0/24,198.51.100.9', ['203.0.113.0/24', '198.51.100.9']],
  [' 2001:DB8::1 \n2001:db8::/32 ', ['2001:db8::1', '2001:db8::/32']],
  ['::ffff:203.0.113.7', ['203.0.113.7']],
  ['0.0.0.0/0', ['0.0.0.0/0']],
])('%s can be written', (text, addresses) => {
  expect(readAddresses(text)).toEqual(addresses)
})

test.each(['', ' \n '])('nothing is no limit', (text) => {
  expect(readAddresses(text)).toBeNull()
})

describe('what is no address is named', () => {
  test.each([
    ...['office', '203.0.113', '203.0.113.256', '203.0.113.0/33', '2001:db8::/129', '203.0.113.0/', '203.0.113.0/24/1'],
    ...['203.0.113.0/-1', 'fe80::1%eth0', '::ffff:203.0.113.0/120', "203.0.113.7'"],
  ])('%s', (text) => {
    expect(() => readAddresses(`198.51.100.1 ${text}`)).toThrow(BadAddress)
    expect(() => readAddresses(text)).toThrow(`'${text}' is no address`)
  })
})

test('fifty addresses are enough', () => {
  const many = Array.from({ length: 51 }, (_, index) => `10.0.0.${index}`)
  expect(readAddresses(many.slice(1).join(' '))).toHaveLength(50)
  expect(() => readAddresses(many.join(' '))).toThrow('51 addresses are too many: a token can be limited to 50')
})
