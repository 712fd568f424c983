import { expect, test } from 'vitest'
import { createAuthentication } from '../../src/auth/authentication.ts'
import { fakePool } from '../support/fake-pool.ts'

/** A database that answers by its state and by what it knows of each token. */
function startDatabase() {
  const database = {
    state: 'one' as string | null,
    version: 'A/1',
    fails: false,
    asked: [] as { tokens: string[]; state: unknown }[],
  }
  const pool = fakePool(async ({ values: [digests, addresses, state] }) => {
    const tokens = (addresses as string[]).map((address, index) => `${(digests as Buffer)[32 * index]} ${address}`)
    database.asked.push({ tokens, state })
    if (database.fails) throw new Error('connect ECONNREFUSED')
    if (state !== null && state === database.state) return [{ result: null }]
    const results = tokens.map((token) =>
      token.startsWith('9 ') ? [401, null, null, null, null] : [200, token, 'A', 'studio', database.version],
    )
    const watermark = '2026-06-01 12:00:00+00'
    return [{ result: JSON.stringify({ state: database.state, watermark, tokens: results }) }]
  })
  const authenticate = createAuthentication(pool)
  const ask = (token: number, address: string | null = '203.0.113.7') => authenticate(Buffer.alloc(32, token), address)
  return { database, ask, authenticate }
}

test('a token is authenticated once for all requests that come from one address', async () => {
  const { database, ask } = startDatabase()
  const answers = await Promise.all([ask(1), ask(2), ask(1), ask(1, '203.0.113.8'), ask(1, null), ask(1)])
  expect(database.asked).toEqual([
    { tokens: ['1 203.0.113.7', '2 203.0.113.7', '1 203.0.113.8', '1 null'], state: null },
  ])
  expect(answers.map(({ status, token_id }) => `${status} ${token_id}`)).toEqual([
    ...['200 1 203.0.113.7', '200 2 203.0.113.7', '200 1 203.0.113.7'],
    ...['200 1 203.0.113.8', '200 1 null', '200 1 203.0.113.7'],
  ])
})

test('what arrives while a statement is under way waits for the next one, which begins after it', async () => {
  const { database, ask } = startDatabase()
  const first = ask(1)
  await new Promise(setImmediate)
  await Promise.all([first, ask(1), ask(2)])
  expect(database.asked.map(({ tokens }) => tokens.length)).toEqual([1, 2])
})

test('a failure is that of every request of the statement, and of no later one', async () => {
  const { database, ask } = startDatabase()
  database.fails = true
  const settled = await Promise.allSettled([ask(1), ask(2)])
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  database.fails = false
  expect(await ask(1)).toMatchObject({ status: 200 })
})

test('no more tokens are remembered than fit: then all are asked about again', async () => {
  const { database, authenticate } = startDatabase()
  const ask = (n: number) => {
    const digest = Buffer.alloc(32, 1)
    digest.writeUInt32BE(n, 28)
    return authenticate(digest, '203.0.113.7')
  }
  for (let n = 0; n < 11_000; n += 1_000) await Promise.all(Array.from({ length: 1_000 }, (_, m) => ask(n + m)))
  database.asked.length = 0
  await ask(0)
  await ask(10_999)
  expect(database.asked.map(({ state }) => state)).toEqual([null, 'one'])
})
