import { createHmac, generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { testSecretKey } from '../support/server.ts'
import { tokenOf, useGraphql } from './support.ts'

const world = useGraphql()
const query = '{ account { name } }'
const now = () => Math.floor(Date.now() / 1000)

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

const ownKey = createHmac('sha256', testSecretKey).update('analyst-token').digest()

/** A token as `analyst token` signs it, with some claims otherwise. */
function ownToken(claims: Claims = {}, key: Uint8Array = ownKey): Promise<string> {
  const standard = { iss: 'studio-inventory', aud: 'studio-inventory-graphql', sub: world.cast.a.people.owner.id }
  return new SignJWT(claimsOf(standard, claims)).setProtectedHeader({ alg: 'HS256' }).sign(key)
}

/** A token of an issuer that this service does not trust. */
function signedByStranger(): Promise<string> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const claims = { iss: 'https://id.example.com', aud: 'inventory', email: world.cast.a.people.owner.email }
  return new SignJWT(claimsOf(claims, {})).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(privateKey)
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
    ['one of the organisation’s issuer, where none is configured', () => signedByStranger()],
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
