import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { statementOf } from '../../src/api/statements.ts'
import { emptyList, itemId, newToken, type RunningApp, startApp } from './support.ts'

let app: RunningApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())
beforeEach(() => {
  app.queries.length = 0
})
afterEach(() => app.answer(() => emptyList))

const token = newToken()
const digest = createHash('sha256').update(token).digest()

describe('one statement per request', () => {
  const since = '2024-03-01T12:30:00%2B02:00'
  const instant = '2024-03-01T10:30:00.000Z'
  const cases: [path: string, text: string, values: unknown[]][] = [
    [
      '/items',
      'list_items(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, category => $4::text, coverage_state => $5::text, updated_since => $6::timestamptz, barcode => $7::text, serial_number => $8::text, validator => $9::text, cursor_version => $10::text, cursor_total => $11::bigint, cursor_at => $12::timestamptz, cursor_id => $13::uuid, client_address => $14::inet)',
      [1, 50, null, null, null, null, null],
    ],
    [
      `/items?page=3&per_page=20&category=Microphones&coverage_state=uninsured&updated_since=${since}`,
      'list_items(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, category => $4::text, coverage_state => $5::text, updated_since => $6::timestamptz, barcode => $7::text, serial_number => $8::text, validator => $9::text, cursor_version => $10::text, cursor_total => $11::bigint, cursor_at => $12::timestamptz, cursor_id => $13::uuid, client_address => $14::inet)',
      [3, 20, 'Microphones', 'uninsured', instant, null, null],
    ],
    [
      `/items/${itemId}`,
      'get_item(token_digest => $1::bytea, id => $2::uuid, validator => $3::text, client_address => $4::inet)',
      [itemId],
    ],
    [
      `/items/${itemId}/policies`,
      'list_item_policies(token_digest => $1::bytea, id => $2::uuid, validator => $3::text, client_address => $4::inet)',
      [itemId],
    ],
    [
      `/locations?updated_since=${since}`,
      'list_locations(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, updated_since => $4::timestamptz, validator => $5::text, cursor_version => $6::text, cursor_total => $7::bigint, cursor_at => $8::timestamptz, cursor_id => $9::uuid, client_address => $10::inet)',
      [1, 50, instant],
    ],
    [
      `/maintenance?item_id=${itemId}&status=completed&updated_since=${since}&per_page=100`,
      'list_maintenance(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, item_id => $4::uuid, status => $5::text, updated_since => $6::timestamptz, validator => $7::text, cursor_version => $8::text, cursor_total => $9::bigint, cursor_at => $10::timestamptz, cursor_id => $11::uuid, client_address => $12::inet)',
      [1, 100, itemId, 'completed', instant],
    ],
    [
      `/policies?updated_since=${since}&page=2`,
      'list_policies(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, updated_since => $4::timestamptz, validator => $5::text, cursor_version => $6::text, cursor_total => $7::bigint, cursor_at => $8::date, cursor_id => $9::uuid, client_address => $10::inet)',
      [2, 50, instant],
    ],
    [
      `/policies/${itemId}`,
      'get_policy(token_digest => $1::bytea, id => $2::uuid, validator => $3::text, client_address => $4::inet)',
      [itemId],
    ],
    [
      `/removals?updated_since=${since}&per_page=20`,
      'list_removals(token_digest => $1::bytea, page => $2::bigint, per_page => $3::integer, updated_since => $4::timestamptz, validator => $5::text, cursor_version => $6::text, cursor_total => $7::bigint, cursor_at => $8::timestamptz, cursor_id => $9::uuid, client_address => $10::inet)',
      [1, 20, instant],
    ],
    ['/account', 'get_account(token_digest => $1::bytea, validator => $2::text, client_address => $3::inet)', []],
  ]
  test.each(cases)('%s', async (path, call, values) => {
    await app.get(`/v1${path}`, { token })
    expect(app.queries).toHaveLength(1)
    expect(app.queries[0]?.text).toBe(`select * from api_v1.${call}`)
    const rest = app.queries[0]?.values.slice(1 + values.length)
    expect(app.queries[0]?.values).toEqual([digest, ...values, ...(rest ?? [])])
    expect(rest?.pop()).toBe('127.0.0.1')
    expect(new Set(rest)).toEqual(new Set(rest?.length ? [null] : []))
  })

  test('every operation has its own name, and every path answers', async () => {
    expect(new Set(operations.map((operation) => statementOf(operation).statement.name)).size).toBe(9)
    for (const { path } of operations) {
      expect((await app.get(`/v1${path.replace('{id}', itemId)}`)).status).toBe(200)
    }
  })
})
