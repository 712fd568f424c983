import type pg from 'pg'
import { expect, test, vi } from 'vitest'
import type { Question } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { readFromPrimary, readFromReplicas } from '../../src/api/read.ts'
import type { Answer } from '../../src/database/answer.ts'
import { poolOf } from '../../src/database/pool.ts'
import type { Replicas } from '../../src/database/replicas.ts'
import { defaultParameters } from '../../src/http/parameters.ts'
import { type FakeQuery, fakePool } from '../support/fake-pool.ts'

const operation = operations.find(({ id }) => id === 'list_items') ?? expect.fail('there is no list_items')
const question: Question = { ...defaultParameters, id: null }
const digest = Buffer.alloc(32)

const answer = (more: Partial<Answer>): Answer => ({
  ...{ status: 200, token_id: 'a token', plan_tier: 'studio', studio_id: 'A', version: 'A/1' },
  ...{ total: '1', data: null, photo_keys: null, last_at: null, last_id: null, has_more: null, watermark: null },
  ...more,
})

/** The row of a batch of one token. */
function said(more: Partial<Answer>) {
  const { status, token_id, studio_id, plan_tier, version } = answer(more)
  const tokens = [[status, token_id, studio_id, plan_tier, version]]
  return { said: JSON.stringify({ state: null, watermark: null, tokens }) }
}

/** Reads with a primary that authenticates and reads as given, and a replica that answers as given. */
async function read(
  authenticated: Partial<Answer>,
  ofReplica: Partial<Answer> | undefined,
  validator: string | null = null,
) {
  const asked: string[] = []
  const primary = fakePool(async ({ text }) => {
    const authenticates = text.includes('access.authenticate_batch')
    asked.push(authenticates ? 'authenticate' : 'primary')
    return [authenticates ? said(authenticated) : answer({ ...authenticated, data: 'of the primary' })]
  }, 4)
  const replicas: Pick<Replicas, 'query'> = {
    async query(_statement, _values, current, fromPrimary) {
      asked.push('replica')
      const found = ofReplica && answer({ data: 'of the replica', ...ofReplica })
      return found && current(found) ? found : fromPrimary()
    },
  }
  const request = { digest, question, cached: {}, position: null, validator, address: null }
  const { status, data } = await readFromReplicas(primary, replicas)(operation, request)
  return { status, data, asked }
}

const fromReplica = { status: 200, data: 'of the replica', asked: ['authenticate', 'replica'] }
const fromPrimary = { status: 200, data: 'of the primary', asked: ['authenticate', 'replica', 'primary'] }

test('the primary authenticates, and an answer of its version is read from the replica', async () => {
  expect(await read({}, {})).toEqual(fromReplica)
  expect(await read({}, { status: 404 })).toEqual({ ...fromReplica, status: 404 })
})

test.each([401, 403])('what the primary answers with %i is final: no replica is queried', async (status) => {
  expect(await read({ status }, {})).toEqual({ status, data: null, asked: ['authenticate'] })
})

test('what the client has is final when its version is current: no replica is queried', async () => {
  expect(await read({}, {}, 'A/1')).toEqual({ status: 304, data: null, asked: ['authenticate'] })
  expect(await read({}, {}, 'A/0')).toEqual(fromReplica)
})

test.each([
  ['another version', { version: 'A/0' }],
  ['no version', { version: null }],
  ['nothing new', { status: 304 }],
  ['an unknown token', { status: 401, token_id: null }],
  ['a plan of before', { plan_tier: 'pro' }],
  ['another token', { token_id: 'another token' }],
])('a replica that says %s is not believed: the primary reads', async (_what, said) => {
  expect(await read({}, said)).toEqual(fromPrimary)
})

test('without an answer of a replica the primary reads', async () => {
  expect(await read({}, undefined)).toEqual(fromPrimary)
})

test('without a version from the primary, no replica’s answer is used', async () => {
  expect(await read({ version: null }, { version: null })).toEqual(fromPrimary)
})

test('operations whose statements do not end leave a connection to authentication', async () => {
  const { pool, inUse } = poolWithoutEnd(3)
  const read = readFromPrimary(pool)
  const ask = (id: string, token: number, validator: string | null) => {
    const asked = operations.find((one) => one.id === id) ?? expect.fail(`there is no ${id}`)
    return read(asked, {
      digest: Buffer.alloc(32, token),
      question,
      cached: {},
      position: null,
      validator,
      address: null,
    })
  }
  for (let token = 0; token < 8; token += 1) {
    void ask('list_items', token, null)
    void ask('list_policies', token, null)
  }
  await vi.waitFor(() => expect(inUse()).toBeGreaterThan(1))
  const authenticated = await Promise.race([ask('list_items', 9, 'A/1'), pause(500)])
  expect(authenticated).toMatchObject({ status: 304 })
  expect(inUse()).toBe(2)
})

/** A pool with so many connections, which authenticates at once and answers nothing else. */
function poolWithoutEnd(size: number) {
  let used = 0
  const query = ({ text }: FakeQuery) =>
    text.includes('access.authenticate_batch')
      ? Promise.resolve({ rows: [said({})] })
      : new Promise<never>(() => undefined)
  async function connect() {
    if (used === size) return new Promise<never>(() => undefined)
    used += 1
    const release = () => {
      used -= 1
    }
    return { query, release } as unknown as pg.PoolClient
  }
  const driver = {
    ...{ totalCount: 0, idleCount: 0, waitingCount: 0, connect, end: async () => undefined },
    async query<Row>(given: FakeQuery) {
      const client = await connect()
      const { rows } = await query(given)
      client.release()
      return { rows: rows as Row[] }
    },
  }
  return { pool: poolOf(driver, { size }), inUse: () => used }
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
