import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { digestOf, newSecret, readCredentials, tokenOf } from '../../src/auth/token.ts'
import { addressKey } from '../../src/http/address.ts'
import { BadAddress, readAddresses } from '../../src/tokens/token-limits.ts'

test('a new secret is 32 base62 characters, and never the same', () => {
  const secrets = Array.from({ length: 1_000 }, newSecret)
  for (const secret of secrets) expect(secret).toMatch(/^[0-9A-Za-z]{32}$/)
  expect(new Set(secrets).size).toBe(1_000)
  expect(new Set(secrets.join('')).size).toBe(62)
})

test('a token is known by the SHA-256 digest of its full text', () => {
  const token = tokenOf('pro', 'a'.repeat(32))
  const digest = createHash('sha256').update(token).digest()
  expect(digestOf(token)).toEqual(digest)
  expect(readCredentials(`Bearer ${token}`)).toEqual({ digest, key: digest.toString('base64url') })
  expect(readCredentials(`Bearer ${tokenOf('studio', 'a'.repeat(32))}`)?.digest).not.toEqual(digest)
})

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

describe('an error names text that is not an address', () => {
  test.each([
    ...['office', '203.0.113', '203.0.113.256', '203.0.113.0/33', '2001:db8::/129', '203.0.113.0/', '203.0.113.0/24/1'],
    ...['203.0.113.0/-1', 'fe80::1%eth0', '::ffff:203.0.113.0/120', "203.0.113.7'"],
  ])('%s', (text) => {
    expect(() => readAddresses(`198.51.100.1 ${text}`)).toThrow(BadAddress)
    expect(() => readAddresses(text)).toThrow(`'${text}' is not a valid IP address`)
  })
})

test('fifty addresses are enough', () => {
  const many = Array.from({ length: 51 }, (_, index) => `10.0.0.${index}`)
  expect(readAddresses(many.slice(1).join(' '))).toHaveLength(50)
  expect(() => readAddresses(many.join(' '))).toThrow('51 addresses are too many: a token can be limited to 50')
})

const cases: [address: string | undefined, key: string][] = [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8:0:0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  // Azure's gateway and AWS's balancer write the address with a port.
  ['203.0.113.7:51234', '203.0.113.7'],
  [' [2001:db8::1]:443 ', '2001:db8:0:0'],
  ['[2001:DB8::1]', '2001:db8:0:0'],
  ['[::ffff:203.0.113.7]:443', '203.0.113.7'],
  ['0:0:0:0:0:FFFF:cb00:7107', '203.0.113.7'],
  ...['not an address', '', '203.0.113.7:', '203.0.113.7:x', '[203.0.113]', '999.0.0.1:1', 'x'.repeat(100)].map(
    (rubbish): [string, string] => [rubbish, 'unknown'],
  ),
  [undefined, 'unknown'],
]

test.each(cases)('%s is counted under %s', (address, key) => {
  expect(addressKey(address)).toBe(key)
})
