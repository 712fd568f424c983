import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type FlattenedJWSInput, generateKeyPair, type JWTHeaderParameters } from 'jose'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { IssuerUnavailable, remoteKeys } from '../../src/id-tokens/id-token.ts'

const { publicKey } = await generateKeyPair('ES256')
const jwk = await exportJWK(publicKey)

/** An issuer with set responses, which counts its requests. */
const issuer = { answer: '', status: 200, asked: 0 }
const server = createServer((_request, response) => {
  issuer.asked += 1
  response.writeHead(issuer.status, { 'Content-Type': 'application/json' }).end(issuer.answer)
})
let url = ''
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`
})
afterAll(() => void server.close())

beforeEach(() => {
  Object.assign(issuer, { status: 200, asked: 0, answer: JSON.stringify({ keys: [{ ...jwk, kid: 'one' }] }) })
  vi.useFakeTimers({ toFake: ['Date', 'performance'], now: Date.now() })
})
afterEach(() => vi.useRealTimers())

const token: FlattenedJWSInput = { payload: '', signature: '' }
const named = (kid: string): JWTHeaderParameters => ({ alg: 'ES256', kid })
const pass = (seconds: number) => vi.advanceTimersByTime(seconds * 1000)

it.each<[what: string, failure: Partial<typeof issuer>]>([
  ['answers with an error', { status: 500 }],
  ['is redirected', { status: 302 }],
  ['answers with no JSON', { answer: '<html>' }],
  ['answers with no keys', { answer: '{}' }],
])('an issuer that %s is asked once in two seconds, however many tokens come', async (_what, failure) => {
  const keys = remoteKeys(url)
  Object.assign(issuer, failure)
  for (let n = 0; n < 5; n++) await expect(keys(named(`forged ${n}`), token)).rejects.toThrow(IssuerUnavailable)
  expect(issuer.asked).toBe(1)
  pass(1.9)
  await expect(keys(named('one'), token)).rejects.toThrow(IssuerUnavailable)
  expect(issuer.asked).toBe(1)
  pass(0.2)
  await expect(keys(named('one'), token)).rejects.toThrow(IssuerUnavailable)
  expect(issuer.asked).toBe(2)
})

it('tokens with unknown keys cost one request in half a minute', async () => {
  const keys = remoteKeys(url)
  await keys(named('one'), token)
  for (let n = 0; n < 5; n++) await expect(keys(named(`forged ${n}`), token)).rejects.toThrow(/no applicable key/)
  expect(issuer.asked).toBe(1)
})

it('keys that were had are used for an hour while the issuer is away, and asked for every two seconds', async () => {
  const keys = remoteKeys(url)
  await keys(named('one'), token)
  issuer.status = 503
  pass(11 * 60)
  for (let n = 0; n < 5; n++) await expect(keys(named('one'), token)).resolves.toBeDefined()
  expect(issuer.asked).toBe(2)
  // The issuer may have a key by now that it did not have then.
  await expect(keys(named('two'), token)).rejects.toThrow(IssuerUnavailable)
  pass(48 * 60)
  await expect(keys(named('one'), token)).resolves.toBeDefined()
  pass(2 * 60)
  await expect(keys(named('one'), token)).rejects.toThrow(IssuerUnavailable)
})

it('a key that the issuer has withdrawn is not taken any more after ten minutes', async () => {
  const keys = remoteKeys(url)
  await keys(named('one'), token)
  issuer.answer = JSON.stringify({ keys: [{ ...jwk, kid: 'two' }] })
  pass(11 * 60)
  await expect(keys(named('one'), token)).rejects.toThrow(/no applicable key/)
  await expect(keys(named('two'), token)).resolves.toBeDefined()
})
