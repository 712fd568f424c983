import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Issued, issue, useSql } from '../support.ts'
import { authenticateBatch } from './batch.ts'
import { castPeople, leave, noon, type People, subscribe } from './people.ts'

const sql = useSql()
let people: People
let token: Issued

beforeAll(() => sql.stopClock(noon))
afterAll(() => sql.startClock())
beforeEach(async () => {
  await sql.stopClock(noon)
  people = await castPeople(sql)
  token = await issue(sql, { studio: people.studio.id, issuer: people.admin })
})

const authenticate = (state: string | null, digest = token.digest) => authenticateBatch(sql, [[digest, null]], state)

async function stateNow(): Promise<string> {
  const { state } = await authenticate(null)
  return state ?? expect.fail('there is no state')
}

test('in the state of before nothing is said again', async () => {
  // Other tests commit in other databases of the same server, which is another state as well.
  await vi.waitFor(
    async () => {
      const state = await stateNow()
      expect(await authenticate(state)).toMatchObject({ isUnchanged: true })
      expect(await stateNow()).toBe(state)
    },
    { timeout: 20_000, interval: 5 },
  )
})

describe('what is committed is seen by the next statement:', () => {
  test.each<[string, () => Promise<unknown>, object]>([
    [
      'a token that is revoked',
      () => sql.owner.rows('select access.revoke_token($1, $2, $3)', [people.studio.id, token.tokenId, people.owner]),
      { status: 401 },
    ],
    ['a member who leaves', () => leave(sql, people.studio, people.admin), { status: 401 }],
    ['a plan that lapses', () => subscribe(sql, people.studio, { status: 'canceled' }), { status: 403 }],
    [
      'addresses that a token is limited to',
      () => sql.owner.rows(`update access.tokens set addresses = '{203.0.113.7}' where id = $1`, [token.tokenId]),
      { status: 401 },
    ],
  ])('%s', async (_what, change, said) => {
    const state = await stateNow()
    await change()
    const { isUnchanged, tokens } = await authenticate(state)
    expect({ isUnchanged, tokens }).toMatchObject({ isUnchanged: false, tokens: [said] })
  })

  test('an item, in the version of its studio', async () => {
    const before = await authenticate(null)
    await people.studio.add('items')
    const after = await authenticate(before.state)
    expect(after.isUnchanged).toBe(false)
    expect(after.tokens).not.toEqual(before.tokens)
  })
})

describe('what the clock changes', () => {
  const at = (second: string) => `2026-06-01T${second}Z`
  test.each<[string, (end: string) => Promise<unknown>]>([
    [
      'a token ends',
      (end) => sql.owner.rows('update access.tokens set expires_at = $2 where id = $1', [token.tokenId, end]),
    ],
    ['a trial ends', (end) => subscribe(sql, people.studio, { status: 'trialing', trialEnds: end })],
    ['a paid period ends', (end) => subscribe(sql, people.studio, { status: 'past_due', periodEnds: end })],
  ])('within a second is not relied on: %s', async (_what, endAt) => {
    await endAt(at('12:00:05.500'))
    await sql.stopClock(at('12:00:04.900'))
    expect(await authenticate(null)).toMatchObject({ state: expect.any(String), tokens: [{ status: 200 }] })
    await sql.stopClock(at('12:00:05.100'))
    expect(await authenticate(null)).toMatchObject({ state: null, tokens: [{ status: 200 }] })
    await sql.stopClock(at('12:00:05.600'))
    expect((await authenticate(null)).tokens).not.toMatchObject([{ status: 200 }])
  })
})
