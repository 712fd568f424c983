import { beforeAll, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { createToken } from '../support/cast.ts'
import { fingerprint, type RequestOptions } from '../support/client.ts'
import { docsUrl } from '../support/service.ts'
import { pathsOf, useWorld } from '../support/world.ts'

const world = useWorld()

/** A token that the service issued, and what differs from it in one thing. */
let good = ''
let secret = ''
let revoked = ''
let digestOnly = ''
beforeAll(async () => {
  good = world.cast.a.token.token
  secret = world.cast.a.token.secret
  const { id, people } = world.cast.a
  const token = await createToken(world.database, id, people.owner.id)
  revoked = token.token
  await world.owner('select access.revoke_token($1, $2, $3)', [id, token.id, people.owner.id])
  const changed = await createToken(world.database, id, people.owner.id)
  digestOnly = changed.token
  await world.owner(`update access.tokens set digest = sha256('another token') where id = $1`, [changed.id])
})

/** What the client presents. `good` is a token that works. */
const causes: [cause: string, ask: () => RequestOptions & { path?: string }][] = [
  ['no header', () => ({})],
  ['an empty header', () => ({ headers: { Authorization: '' } })],
  ['the word alone', () => ({ headers: { Authorization: 'Bearer' } })],
  ['the token alone', () => ({ headers: { Authorization: good } })],
  ['Basic with the token', () => ({ headers: { Authorization: `Basic ${btoa(`${good}:`)}` } })],
  ['a wrong prefix', () => ({ token: `abc_studio_${secret}` })],
  ['the other tier', () => ({ token: tokenOf('pro', secret) })],
  ['a tier that is none', () => ({ token: `svc_free_${secret}` })],
  ['31 characters', () => ({ token: good.slice(0, -1) })],
  ['33 characters', () => ({ token: `${good}a` })],
  ['a bad character', () => ({ token: `${good.slice(0, -1)}-` })],
  ['a letter of another script', () => ({ token: Buffer.from(`${good.slice(0, -1)}é`).toString('latin1') })],
  ['a letter in the other case', () => ({ token: tokenOf('studio', swapCase(secret)) })],
  ['an unknown token', () => ({ token: tokenOf('studio', newSecret()) })],
  ['a revoked token', () => ({ token: revoked })],
  ['a token whose digest is another', () => ({ token: digestOnly })],
  ['two tokens in one header', () => ({ headers: { Authorization: `Bearer ${good}, Bearer ${good}` } })],
  ['two headers', () => ({ headers: { Authorization: [`Bearer ${good}`, `Bearer ${good}`] } })],
  ['an 8 kB token', () => ({ token: `svc_studio_${'a'.repeat(8_000)}` })],
  [
    'the token in the URL',
    () => ({ path: `/v1/items?access_token=${good}&token=${good}&authorization=Bearer+${good}` }),
  ],
  ['the token in a cookie', () => ({ headers: { Cookie: `token=${good}; access_token=${good}` } })],
  ['the token in a body', () => sent('application/json', JSON.stringify({ access_token: good }))],
  ['the token in a form', () => sent('application/x-www-form-urlencoded', `access_token=${good}`)],
  ['the token in other headers', () => ({ headers: { 'X-Api-Key': good, 'Proxy-Authorization': `Bearer ${good}` } })],
]

const sent = (type: string, body: string) => ({ body, headers: { 'Content-Type': type } })

function swapCase(text: string): string {
  const swapped = text.replace(/[a-zA-Z]/, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()))
  return swapped === text ? newSecret() : swapped
}

const ask = ({ path = '/v1/items', ...rest }: RequestOptions & { path?: string }) => world.service.get(path, rest)

test.each(causes)('%s: 401 with the same bytes and headers as every other', async (_, make) => {
  const reply = await ask(make())
  expect(reply.status).toBe(401)
  expect(reply.headers['www-authenticate']).toBe('Bearer')
  expect(reply.json).toMatchObject({ code: 'unauthenticated' })
  expect(Object.keys(reply.headers).filter((name) => /^(ratelimit|retry-after)/.test(name))).toEqual([])
  const reference = await ask({ token: tokenOf('studio', newSecret()) })
  expect(fingerprint(reply)).toBe(fingerprint(reference))
  expect(Object.keys(reply.headers)).toEqual(Object.keys(reference.headers))
})

test('every endpoint answers 401 alike, for any id', async () => {
  const { items, policies } = world.cast.a
  const reference = fingerprint(await ask({}))
  for (const { path } of operations) {
    for (const id of [items.microphone, policies.active, 'unknown', '%ZZ']) {
      const at = prefix + path.replace('{id}', id)
      expect(fingerprint(await ask({ path: at }))).toBe(reference)
      expect(fingerprint(await ask({ path: at, token: revoked }))).toBe(reference)
    }
  }
})

test('only a valid token learns that a parameter is invalid', async () => {
  const ended = await world.newStudio()
  await world.subscribe(ended.id, 'studio', 'canceled')
  const path = '/v1/items?page=0&coverage_state=x&updated_since=x'
  const statusOf = async (token: string) => (await ask({ path, token })).status
  const tokens = [tokenOf('studio', newSecret()), revoked, ended.token, good]
  expect(await Promise.all(tokens.map(statusOf))).toEqual([401, 401, 403, 400])
  expect(fingerprint(await ask({ path, token: revoked }))).toBe(fingerprint(await ask({})))
})

test('the word Bearer is matched in any case, the token itself is not', async () => {
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEARER']) {
    expect((await ask({ headers: { Authorization: `${word} ${good}` } })).status).toBe(200)
  }
  expect((await ask({ headers: { Authorization: `Bearer ${good.toUpperCase()}` } })).status).toBe(401)
})

test('a canceled plan whose period is over: 403, a refusal without WWW-Authenticate', async () => {
  const { id, token } = await world.newStudio()
  expect((await ask({ token })).status).toBe(200)
  await world.subscribe(id, 'studio', 'canceled', null, null, '2020-01-01T00:00:00Z')
  for (const path of pathsOf(world.cast.a)) {
    const reply = await ask({ path, token })
    expect(reply.status).toBe(403)
    expect(reply.headers).not.toHaveProperty('www-authenticate')
    expect(reply.json).toMatchObject({ code: 'plan_required', type: `${docsUrl}#error-plan-required` })
    expect(reply.json).not.toHaveProperty('data')
  }
})

test('an error while the token is looked up is 500 with a request id, and tells nothing else', async () => {
  const replace = 'create or replace view access.recognised_tokens with (security_invoker = true) as '
  const [original] = await world.owner<{ text: string }>(
    `select pg_get_viewdef('access.recognised_tokens'::regclass) as text`,
  )
  const whole = original?.text ?? expect.fail()
  await world.owner(`create function access.broken(digest bytea) returns uuid language plpgsql
    as $$ begin raise exception 'a secret cause with %', digest; end $$`)
  await world.owner(replace + whole.replace('t.id AS token_id', 'access.broken(t.digest) as token_id'))
  try {
    for (const path of pathsOf(world.cast.a)) {
      const reply = await ask({ path, token: good })
      expect(reply.status).toBe(500)
      expect(reply.headers).not.toHaveProperty('www-authenticate')
      const members = ['type', 'title', 'status', 'detail', 'code', 'request_id', '_meta']
      expect(Object.keys(reply.json as object)).toEqual(members)
      expect(reply.json).toMatchObject({ code: 'internal_error', request_id: reply.headers['x-request-id'] })
      const told = /secret|cause|authenticate_token|open_session|recognised_tokens|SQL|stack|P0001/
      expect(reply.text + reply.rawHeaders.join()).not.toMatch(told)
      expect(world.service.log()).toContain(String(reply.headers['x-request-id']))
    }
  } finally {
    await world.owner(replace + whole)
    await world.owner('drop function access.broken(bytea)')
  }
  expect((await ask({ token: good })).status).toBe(200)
})
