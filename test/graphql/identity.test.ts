import { createHmac, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { testSecretKey } from '../support/server.ts'
import { type GraphqlService, startGraphql, tokenOf, useGraphql } from './support.ts'

const world = useGraphql()
const query = '{ account { name } }'
const now = () => Math.floor(Date.now() / 1000)

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
const strangers = generateKeyPairSync('rsa', { modulusLength: 2048 })
const [issuer, audience] = ['https://id.example.com', 'inventory']
let keyServer: Server
let keysAway = false
let foreign: GraphqlService

beforeAll(async () => {
  const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  keyServer = createServer((_request, response) => {
    if (keysAway) response.writeHead(503).end()
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
  })
  await new Promise<void>((resolve) => keyServer.listen(0, '127.0.0.1', resolve))
  foreign = await startGraphql(world.database, { trusted: { jwksUrl: jwksUrl(), issuer, audience } })
})
afterAll(async () => {
  await foreign?.stop()
  keyServer?.close()
})

const jwksUrl = () => `http://127.0.0.1:${(keyServer.address() as AddressInfo).port}/jwks.json`

type Claims = Record<string, unknown>

test('an API token is told what is needed instead', async () => {
  const { status, errors } = await world.graphql.ask(query, { token: world.cast.a.token.token })
  expect([status, errors?.[0]?.extensions.code]).toEqual([401, 'api_token'])
  expect(errors?.[0]?.message).toContain('`studio-inventory analyst token`')
})

/** Claims that hold, for five minutes, but for those that are given; undefined leaves one out. */
const claimsOf = (standard: Claims, given: Claims) =>
  Object.fromEntries(
    Object.entries({ studio_id: world.cast.a.id, iat: now(), exp: now() + 300, ...standard, ...given }).filter(
      ([, value]) => value !== undefined,
    ),
  )

/** A token of the organisation's issuer for the owner of studio A, unless claims say otherwise. */
function foreignToken(claims: Claims = {}, header: Claims = {}, key: KeyObject | Uint8Array = keys.privateKey) {
  const email = world.cast.a.people.owner.email.toUpperCase()
  const standard = { iss: issuer, aud: audience, sub: 'anybody', email, email_verified: true }
  return new SignJWT(claimsOf(standard, claims)).setProtectedHeader({ alg: 'RS256', kid: 'one', ...header }).sign(key)
}

const ownKey = createHmac('sha256', testSecretKey).update('analyst-token').digest()

/** A token as `analyst token` signs it, with some claims otherwise. */
function ownToken(claims: Claims = {}, key: Uint8Array = ownKey): Promise<string> {
  const standard = { iss: 'studio-inventory', aud: 'studio-inventory-graphql', sub: world.cast.a.people.owner.id }
  return new SignJWT(claimsOf(standard, claims)).setProtectedHeader({ alg: 'HS256' }).sign(key)
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a token of the service', () => {
  test('lives at most a quarter of an hour, even if it says otherwise', async () => {
    const owner = { studioId: world.cast.a.id, userId: world.cast.a.people.owner.id }
    const long = await signAnalystToken(testSecretKey, owner, { lifeSeconds: 1e9 })
    const claims = JSON.parse(Buffer.from(long.split('.')[1] ?? '', 'base64url').toString())
    expect(claims.exp - claims.iat).toBe(900)
    const old = await ownToken({ iat: now() - 3600, exp: now() + 3600 })
    expect((await world.graphql.ask(query, { token: old })).status).toBe(401)
  })

  test.each<[string, () => Promise<string | null> | string | null]>([
    ['none', () => null],
    ['one that has expired', () => ownToken({ iat: now() - 200, exp: now() - 100 })],
    ['one that does not begin yet', () => ownToken({ nbf: now() + 100 })],
    ['one without an end', () => ownToken({ exp: undefined })],
    ['one without a beginning', () => ownToken({ iat: undefined })],
    ['one of another key', () => ownToken({}, Buffer.from('another key, as long as a key has to be'))],
    ['one for photos', () => ownToken({ aud: 'photos' })],
    ['one of another issuer', () => ownToken({ iss: 'somebody' })],
    ['one without a studio', () => ownToken({ studio_id: undefined })],
    ['one with an e-mail for a person', () => ownToken({ sub: undefined, email: world.cast.a.people.owner.email })],
    ['one of the organisation’s issuer, where none is configured', () => foreignToken()],
    ['one without a signature', () => withAlgorithm('none', '')],
    ['one with a signature that is cut', async () => (await ownToken()).slice(0, -2)],
    ['one for another studio', () => ownToken({ studio_id: world.cast.b.id })],
  ])('is refused when it is %s, always in the same words', async (_what, token) => {
    const reply = await world.graphql.ask(query, { token: await token() })
    const plain = await world.graphql.ask(query, { token: null })
    expect(reply.status).toBe(401)
    expect(reply.text).toBe(plain.text)
    const { 'x-request-id': _one, date: _two, ...headers } = reply.headers
    expect(headers).toEqual({ ...plain.headers, 'x-request-id': undefined, date: undefined })
  })

  test('is refused when there are two headers, whichever comes first', async () => {
    const [token, other] = [await ownToken(), await tokenOf(world.cast.b)]
    const reply = (...tokens: string[]) =>
      world.graphql.ask(query, { headers: { Authorization: tokens.map((each) => `Bearer ${each}`) } })
    expect((await reply(token)).status).toBe(200)
    for (const second of [token, other, 'x']) expect((await reply(token, second)).status).toBe(401)
    expect((await reply('x', token)).status).toBe(401)
  })

  test('is taken from the one Authorization header and from nowhere else', async () => {
    const token = await ownToken()
    const path = `/graphql?token=${token}&access_token=${token}`
    const body = JSON.stringify({ query, token, authorization: `Bearer ${token}` })
    const headers = { cookie: `token=${token}`, 'x-token': token }
    expect((await world.graphql.ask(query, { path, body, headers })).status).toBe(401)
  })

  const withAlgorithm = async (alg: string, signature: string) => {
    const [, claims] = (await ownToken()).split('.')
    return `${encoded({ alg, typ: 'JWT' })}.${claims}.${signature}`
  }
})

describe('a token of the organisation’s issuer', () => {
  test('opens the studio it names to the member with its e-mail', async () => {
    const reply = await foreign.ask(query, { token: await foreignToken() })
    expect(reply.data).toEqual({ account: { name: 'Attic Sound' } })
    expect((await foreign.ask(query, { token: await tokenOf(world.cast.a) })).status).toBe(200)
  })

  test.each<[string, () => Promise<string>]>([
    ['of a key that the issuer does not have', () => foreignToken({}, {}, strangers.privateKey)],
    [
      'that brings its own key',
      async () => foreignToken({}, { kid: undefined, jwk: await exportJWK(strangers.publicKey) }, strangers.privateKey),
    ],
    ['signed with the public key as a shared secret', () => confused()],
    ['of another issuer', () => foreignToken({ iss: 'https://id.example.org' })],
    ['for another audience', () => foreignToken({ aud: 'payroll' })],
    ['that has expired', () => foreignToken({ iat: now() - 200, exp: now() - 100 })],
    ['that is older than an hour', () => foreignToken({ iat: now() - 7200, exp: now() + 300 })],
    ['whose e-mail is not vouched for', () => foreignToken({ email_verified: undefined })],
    ['without an e-mail', () => foreignToken({ email: undefined })],
    ['of a member of another studio', () => foreignToken({ email: world.cast.b.people.owner.email })],
    ['that names a user by id', () => foreignToken({ sub: world.cast.a.people.owner.id, email: undefined })],
  ])('is refused when it is one %s', async (_what, token) => {
    const reply = await foreign.ask(query, { token: await token() })
    expect({ status: reply.status, data: reply.data }).toEqual({ status: 401, data: undefined })
  })

  test('cannot be verified while the issuer is away: 503, and tokens of the service are still accepted', async () => {
    keysAway = true
    const service = await startGraphql(world.database, { trusted: { jwksUrl: jwksUrl(), issuer, audience } })
    try {
      expect((await service.ask(query, { token: await foreignToken() })).status).toBe(503)
      expect((await service.ask(query, { token: await ownToken() })).status).toBe(200)
    } finally {
      keysAway = false
      await service.stop()
    }
  })

  const confused = () => {
    const secret = Buffer.from(keys.publicKey.export({ type: 'spki', format: 'pem' }))
    return foreignToken({ sub: world.cast.a.people.owner.id }, { alg: 'HS256' }, secret)
  }
})
