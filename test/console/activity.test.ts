import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { create, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { as, idOf } = tokensOf(world)
const requests: readonly [string, number, number][] = [
  ['GET /v1/items', 200, 6],
  ['GET /v1/items', 304, 3],
  ['GET /v1/items/:id', 404, 2],
  ['GET /v1/items/:id', 200, 4],
  ['GET /v1/account', 500, 1],
]
let member: Visitor | undefined
let path = ''
beforeAll(async () => {
  const owner = await world.as(world.cast.a.people.owner)
  await create(owner, world.tokens(), { name: 'Busy' })
  path = `${world.tokens()}/${await idOf('Busy')}`
  for (const [endpoint, status, times] of requests) {
    await world.owner(
      `insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
       select $1, $2, timestamptz '2026-03-31 12:00:00Z' + n * interval '1 second', $3, $4, 1.5
       from generate_series(1, $5::integer) n`,
      [world.cast.a.id, await idOf('Busy'), endpoint, status, times],
    )
  }
})
beforeEach(async () => {
  member = await world.as(world.cast.a.people.member)
})

const pageAt = (query: string) => as(member).get(`${path}?${query}`)
const rowsOf = (text: string) =>
  [...text.matchAll(/<code>(GET [^<]+)<\/code><\/td><td class="status-\dxx">(\d+)</g)].map(([, ...row]) =>
    row.join(' '),
  )

describe('the activity of a token', () => {
  it('counts the requests by class of status, in words and as bars', async () => {
    const { text } = await pageAt('')
    for (const [label, bars] of [
      ['2xx succeeded: 10', 10],
      ['3xx not changed: 3', 3],
      ['4xx refused: 2', 2],
      ['5xx failed: 1', 1],
    ] as const) {
      const row = text.split('<li class="status-').find((part) => part.includes(label)) ?? ''
      expect(row.match(/<rect /g), label).toHaveLength(bars)
    }
    expect(rowsOf(text)).toHaveLength(16)
    expect(text).toContain('The last 16 requests, newest first.')
  })

  it.each([
    ['status=4xx', Array(2).fill('GET /v1/items/:id 404'), '2 of the last 16 requests: 4xx.'],
    ['status=&operation=GET+%2Fv1%2Faccount', ['GET /v1/account 500'], '1 of the last 16 requests: GET /v1/account.'],
    ['status=2xx&operation=GET+/v1/items', Array(6).fill('GET /v1/items 200'), '6 of the last 16 requests: 2xx, GET'],
    ['status=5xx&operation=GET+/v1/items', [], '0 of the last 16 requests: 5xx, GET /v1/items.'],
    ['operation=GET+/v1/policies', [], '0 of the last 16 requests: GET /v1/policies.'],
  ])('is filtered by %s, and says what is shown', async (query, rows, said) => {
    const { status, text } = await pageAt(query)
    expect(status).toBe(200)
    expect(rowsOf(text)).toEqual(rows)
    expect(text).toContain(said)
    expect(text).toContain(`<a class="on-screen" href="${path}#activity">Show all</a>`)
    // The chart stays that of all, and the form what was chosen.
    expect(text).toContain('2xx succeeded: 10')
    for (const [name, value] of new URLSearchParams(query)) {
      const select = text.split(`<select id="${name}"`)[1]?.split('</select>')[0]
      expect(select).toContain(`<option value="${value}" selected>`)
    }
  })

  it.each([
    ['status=200', '“200” is no class of statuses. Choose 2xx, 3xx, 4xx, 5xx or every status.'],
    ['status=constructor', '“constructor” is no class of statuses.'],
    ['status=2xx&status=4xx', 'Give one status only.'],
    ['operation=items', '“items” is no operation. Choose one of the list, for example GET /v1/items.'],
    ['operation=%3Cscript%3E', '“&lt;script&gt;” is no operation.'],
    [`operation=${'x'.repeat(500)}`, `“${'x'.repeat(60)}…” is no operation.`],
    ['operation=GET+/v1/items&operation=GET+/v1/account', 'Give one operation only.'],
  ])('refuses %s with a sentence, and shows all', async (query, sentence) => {
    const { status, text } = await pageAt(query)
    expect(status).toBe(400)
    expect(text).toContain(`role="alert">${sentence}`)
    expect(rowsOf(text)).toHaveLength(16)
  })
})

it('a token without requests has no chart and no filters', async () => {
  const owner = await world.as(world.cast.a.people.owner)
  await create(owner, world.tokens(), { name: 'Idle' })
  const { text } = await as(member).get(`${world.tokens()}/${await idOf('Idle')}`)
  expect(text).toContain('No requests yet.')
  expect(text).not.toMatch(/<svg|<select/)
})
