import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { digestOf, newSecret, readCredentials, tokenOf } from '../../src/auth/token.ts'

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

test('a long header that is no token is refused quickly', () => {
  const started = performance.now()
  for (let index = 0; index < 100; index += 1) readCredentials(`Bearer${' '.repeat(16_000)}x`)
  expect(performance.now() - started).toBeLessThan(5_000)
})
