import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { issue, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let token: string
let recorder: Session

beforeAll(async () => {
  recorder = await sql.connect('studio_recorder')
})
beforeEach(async () => {
  studio = await sql.studio()
  token = await newToken()
})

const newToken = async (of = studio) => (await issue(sql, { studio: of.id, issuer: of.owner })).tokenId

type Request = { token?: string; at: number; status?: number }

const iso = (at: number) => new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()

const record = (requests: Request[], session = recorder) =>
  session.rows(
    'select access.record_activity($1::uuid[], $2::timestamptz[], $3::text[], $4::smallint[], $5::real[], $6, $7)',
    [
      requests.map((request) => request.token ?? token),
      requests.map((request) => iso(request.at)),
      requests.map(() => '/v1/items'),
      requests.map((request) => request.status ?? 200),
      requests.map(() => 1.5),
      requests.map(() => randomUUID()),
      requests.map(() => '{}'),
    ],
  )

const activity = async (of = token, in_ = studio) => {
  const text = 'select * from access.token_activity($1, $2)'
  const rows = await sql.owner.rows<{ at: string; details: object | null }>(text, [in_.id, of])
  return rows.map((row) => ({ ...row, at: (Date.parse(row.at) - Date.UTC(2026, 0, 1)) / 1000 }))
}

const lastUsed = async (of = token) => {
  const at = await sql.admin.value<string | null>('select last_used_at from access.tokens where id = $1', [of])
  return at === null ? null : (Date.parse(at) - Date.UTC(2026, 0, 1)) / 1000
}

const upTo = (n: number, from = 1) => Array.from({ length: n }, (_, i) => ({ at: from + i }))

describe('the last use', () => {
  test('never goes back, although a late batch brings older requests', async () => {
    await record([{ at: 50 }])
    await record([{ at: 20 }])
    expect(await lastUsed()).toBe(50)
    await record([{ at: 51 }])
    expect(await lastUsed()).toBe(51)
  })

  test('is not a request from an address that the token refuses', async () => {
    await record([{ at: 50 }, { at: 60, status: 401 }])
    expect(await lastUsed()).toBe(50)
  })
})

test('what a request was about is forgotten after 90 days, and that it was made is not', async () => {
  await record([{ at: 1 }])
  const [old, recent] = [90.1, 89.9].map((days) => new Date(Date.now() - days * 86_400_000).toISOString())
  const purged = async (at = '') => {
    await sql.admin.rows('update access.request_activity set at = $1 where token_id = $2', [at, token])
    await recorder.rows('select access.purge_activity()')
    return (await activity()).map(({ details }) => details)
  }
  expect(await purged(recent)).toEqual([{}])
  expect(await purged(old)).toEqual([null])
})

test('recorders at once neither deadlock nor lose anything', async () => {
  const tokens = [token]
  for (let n = 0; n < 7; n++) tokens.push(await newToken())
  const sessions = await Promise.all(Array.from({ length: 4 }, () => sql.connect('studio_recorder')))
  await Promise.all(
    sessions.map(async (session, s) => {
      for (let n = 0; n < 30; n++) {
        // Each recorder names the tokens in another order.
        const order = tokens.map((_, i) => tokens[(i * (s % 2 ? 1 : 7) + n) % tokens.length] ?? token)
        const requests = order.map((id) => ({ token: id, at: n * 4 + s }))
        await record(requests, session)
      }
    }),
  )
  for (const id of tokens) {
    expect(await activity(id)).toMatchObject(upTo(100, 20).reverse())
    expect(await lastUsed(id)).toBe(119)
  }
})
