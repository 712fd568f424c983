import { expect, test } from 'vitest'
import { listItems } from '../../src/api/items.ts'
import { readParameters } from '../../src/api/parameters.ts'
import { createRead } from '../../src/api/read.ts'
import type { Authenticated } from '../../src/auth/authentication.ts'
import type { OperationRow } from '../../src/database/operation-row.ts'
import type { Replicas } from '../../src/database/replicas.ts'
import { fakePool } from '../support/fake-pool.ts'

const request = {
  studioId: 'A',
  ...{ digest: Buffer.alloc(32), address: null, id: null, position: null },
  values: readParameters(listItems.parameters, '').values,
}
const authenticated: Authenticated = {
  ...{ status: 200, token_id: 'a token', plan_tier: 'studio', studio_id: 'A', version: 'A/1', watermark: null },
}

/** Reads with a primary and a replica that return the given rows. Null means that there is no
 * replica. */
async function read(
  primary: Partial<OperationRow>,
  ofReplica: Partial<OperationRow> | null | undefined,
  known?: string,
) {
  const asked: string[] = []
  const pool = fakePool(async () => {
    asked.push('primary')
    return [{ ...authenticated, ...primary, data: 'of the primary' }]
  })
  const authenticate = async () => {
    asked.push('authenticate')
    return { ...authenticated, ...primary }
  }
  const replicas: Pick<Replicas, 'query'> = {
    async query(_statement, _values, current, fromPrimary) {
      asked.push('replica')
      const found = ofReplica && { ...authenticated, data: 'of the replica', ...ofReplica }
      return found && current(found) ? found : fromPrimary()
    },
  }
  const { row, isUnchanged } = await createRead(
    { api: pool, allItems: pool },
    authenticate,
    ofReplica === null ? undefined : replicas,
  )(...([listItems, request, known] as const))
  return { status: row.status, data: row.data, isUnchanged, asked }
}

const changed = { isUnchanged: false }
const fromReplica = { status: 200, data: 'of the replica', ...changed, asked: ['authenticate', 'replica'] }
const fromPrimary = { status: 200, data: 'of the primary', ...changed, asked: ['authenticate', 'replica', 'primary'] }

test('one statement authenticates and reads where nothing is known', async () => {
  expect(await read({}, null)).toEqual({ ...fromPrimary, asked: ['primary'] })
})

test('a known version is looked up first, and only another one is read', async () => {
  const unchanged = { status: 200, data: undefined, isUnchanged: true, asked: ['authenticate'] }
  expect(await read({}, null, 'A/1')).toEqual(unchanged)
  expect(await read({}, {}, 'A/1')).toEqual(unchanged)
  expect(await read({}, null, 'A/0')).toEqual({ ...fromPrimary, asked: ['authenticate', 'primary'] })
  expect(await read({}, {}, 'A/0')).toEqual(fromReplica)
})

test('the primary authenticates, and an answer of its version is read from the replica', async () => {
  expect(await read({}, {})).toEqual(fromReplica)
  expect(await read({}, { status: 404 })).toEqual({ ...fromReplica, status: 404 })
})

test.each([401, 403])('what the primary answers with %i is final: nothing is read', async (status) => {
  const refused = { status, data: undefined, isUnchanged: false, asked: ['authenticate'] }
  expect(await read({ status }, {})).toEqual(refused)
  expect(await read({ status }, null, 'A/1')).toEqual(refused)
})

test.each([
  ['another version', { version: 'A/0' }],
  ['no version', { version: null }],
  ['an unknown token', { status: 401, token_id: null }],
  ['a plan of before', { plan_tier: 'pro' }],
  ['another token', { token_id: 'another token' }],
])('a replica that says %s is not believed: the primary reads', async (_what, answer) => {
  expect(await read({}, answer)).toEqual(fromPrimary)
})

test('without an answer of a replica, or a version of the primary, the primary reads', async () => {
  expect(await read({}, undefined)).toEqual(fromPrimary)
  expect(await read({ version: null }, { version: null })).toEqual(fromPrimary)
})
