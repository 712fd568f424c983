import { randomBytes } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { askWith, type Issued, issue, useSql } from '../support.ts'
import { castPeople, leave, noon, type People, subscribe, subscriptions } from './people.ts'

const sql = useSql()
let people: People
let token: Issued

afterAll(() => sql.startClock())
beforeEach(async () => {
  await sql.stopClock(noon)
  people = await castPeople(sql)
  token = await issue(sql, { studio: people.studio.id, issuer: people.admin })
})

/** The rows of access.authenticate_batch() as access.open_session() returns them; none without a
 * change. */
type Batch = { state: string | null; isUnchanged: boolean; tokens: object[] }

/** Authenticates tokens in one statement, as the API's login. */
async function authenticateBatch(
  asked: [digest: Buffer, address: string | null][],
  state: string | null = null,
): Promise<Batch> {
  const said = await sql.api.value<string | null>('select access.authenticate_batch($1, $2::inet[], $3)', [
    Buffer.concat(asked.map(([digest]) => digest)),
    asked.map(([, address]) => address),
    state,
  ])
  if (said === null) return { state, isUnchanged: true, tokens: [] }
  const { watermark, ...rest } = JSON.parse(said)
  const tokens = rest.tokens.map(([status, token_id, studio_id, plan_tier, version]: (string | number | null)[]) => ({
    ...{ status, token_id, studio_id, plan_tier, version, watermark: status === 401 ? null : watermark },
    ...{ data: null, photo_keys: null },
  }))
  return { state: rest.state, isUnchanged: false, tokens }
}

/** The result for a token: the same alone and in a batch. */
async function open(digest: Buffer | null = token.digest) {
  const answer = await sql.api.row<{ status: number }>('select * from access.open_session($1)', [digest])
  if (digest?.length === 32) {
    const batch = await authenticateBatch([digest, token.digest, digest].map((each) => [each, null]))
    expect([batch.tokens[0], batch.tokens[2]]).toEqual([answer, answer])
  }
  return answer
}

const who = { status: 401, token_id: null, studio_id: null, plan_tier: null, version: null, watermark: null }
const nobody = { ...who, data: null, photo_keys: null }

describe('401', () => {
  test.each([
    ['a digest that no token has', () => randomBytes(32)],
    ['a digest that is too short', () => Buffer.from('short')],
    ['the digest of nothing', () => Buffer.alloc(0)],
    ['null', () => null],
  ])('for %s', async (_what, digest) => {
    expect(await open(digest())).toEqual(nobody)
  })

  test('comes before 403: a revoked token of a lapsed studio does not tell of the plan', async () => {
    await subscribe(sql, people.studio, { status: 'canceled' })
    expect((await open()).status).toBe(403)
    await leave(sql, people.studio, people.admin)
    expect(await open()).toEqual(nobody)
  })
})

const endAt = (end: string) =>
  sql.owner.rows('update access.tokens set expires_at = $2 where id = $1', [token.tokenId, end])
const limitTo = (addresses: string) =>
  sql.owner.rows('update access.tokens set addresses = $2 where id = $1', [token.tokenId, addresses])

describe('the addresses of a token', () => {
  const from = async (address: string | null) => {
    const answer = await sql.api.row<{ status: number }>('select * from access.open_session($1, $2)', [
      ...[token.digest, address],
    ])
    expect((await authenticateBatch([[token.digest, address]])).tokens).toEqual([answer])
    return answer
  }

  test('one has to contain that of the client, and an unknown one is refused', async () => {
    await limitTo('{203.0.113.0/24,2001:db8::/32}')
    for (const address of ['203.0.113.7', '2001:db8:ffff::1']) expect((await from(address)).status).toBe(200)
    for (const address of ['203.0.114.7', '2001:db9::1', '::ffff:203.0.113.7', null]) {
      // The owner sees it among the requests of the token.
      expect(await from(address)).toEqual({ ...nobody, token_id: token.tokenId })
    }
    expect(await open()).toEqual({ ...nobody, token_id: token.tokenId })
  })
})

describe('403', () => {
  test.each(subscriptions)('%s: the request is served or not', async (_what, subscription, entitled) => {
    await subscribe(sql, people.studio, subscription)
    const served = { status: 200, token_id: token.tokenId, plan_tier: 'studio' }
    const refused = { status: 403, token_id: token.tokenId, plan_tier: null, data: null }
    expect(await open()).toMatchObject(entitled ? served : refused)
  })

  test('opens no session: nothing is read', async () => {
    await people.studio.add('items', { name: 'CANARY' })
    await subscribe(sql, people.studio, { status: 'canceled' })
    const answer = await askWith(sql.api, 'list_items', token.digest, 1, 50, null, null, null)
    expect(answer).toMatchObject({ status: 403, total: '0', data: '' })
    await sql.api.rows('begin')
    await open()
    expect(await sql.api.rows('select from api_v1.items')).toEqual([])
    await sql.api.rows('rollback')
  })
})

test('the version is another after a write, and on the next day of the studio, whose policies may be others', async () => {
  const version = () => sql.api.value('select version from access.open_session($1)', [token.digest])
  const known = await version()
  await people.studio.add('items')
  const written = await version()
  expect(written).not.toBe(known)
  await sql.stopClock('2026-06-16T12:00:00Z')
  expect(await version()).not.toBe(written)
  await sql.stopClock(noon)
  expect(await version()).toBe(written)
})

const authenticate = (state: string | null) => authenticateBatch([[token.digest, null]], state)

async function stateNow(): Promise<string> {
  const { state } = await authenticate(null)
  return state ?? expect.fail('there is no state')
}

test('in the state of before nothing is said again', async () => {
  // Other tests commit in other databases of this server, which changes the state, too.
  await vi.waitFor(
    async () => {
      const state = await stateNow()
      expect(await authenticate(state)).toMatchObject({ isUnchanged: true })
      expect(await stateNow()).toBe(state)
    },
    { timeout: 20_000, interval: 5 },
  )
})

test('the next statement sees an item that is committed, in the version of its studio', async () => {
  const before = await authenticate(null)
  await people.studio.add('items')
  const after = await authenticate(before.state)
  expect(after.isUnchanged).toBe(false)
  expect(after.tokens).not.toEqual(before.tokens)
})

describe('what the clock changes', () => {
  const at = (second: string) => `2026-06-01T${second}Z`
  test.each<[string, (end: string) => Promise<unknown>]>([
    ['a token ends', endAt],
    ['a trial ends', (end) => subscribe(sql, people.studio, { status: 'trialing', trialEnds: end })],
    ['a paid period ends', (end) => subscribe(sql, people.studio, { status: 'past_due', periodEnds: end })],
  ])('within a second is not relied on: %s', async (_what, endsAt) => {
    await endsAt(at('12:00:05.500'))
    await sql.stopClock(at('12:00:04.900'))
    expect(await authenticate(null)).toMatchObject({ state: expect.any(String), tokens: [{ status: 200 }] })
    await sql.stopClock(at('12:00:05.100'))
    expect(await authenticate(null)).toMatchObject({ state: null, tokens: [{ status: 200 }] })
    await sql.stopClock(at('12:00:05.600'))
    expect((await authenticate(null)).tokens).not.toMatchObject([{ status: 200 }])
  })
})
