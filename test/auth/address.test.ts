import { expect, test } from 'vitest'
import { addressKey } from '../../src/auth/address.ts'

const cases: [address: string | undefined, key: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['not an address', 'not an address'],
  [undefined, ''],
]

test.each(cases)('%s is counted under %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
})

test('no key is long', () => {
  expect(addressKey('x'.repeat(10_000)).length).toBeLessThan(100)
})
