import { beforeAll, expect, it } from 'vitest'
import { create, tokensOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()
const { idOf } = tokensOf(world)
const requests: readonly [string, number, number][] = [
  ['GET /v1/items', 200, 10],
  ['GET /v1/items', 304, 3],
  ['GET /v1/items/:id', 404, 2],
  ['GET /v1/account', 500, 1],
]
let member: Visitor
let path = ''
beforeAll(async () => {
  const owner = await world.as(world.cast.a.people.owner)
  await create(owner, world.tokens(), { name: 'Busy' })
  await create(owner, world.tokens(), { name: 'Idle' })
  path = `${world.tokens()}/${await idOf('Busy')}`
  for (const [endpoint, status, times] of requests) {
    await world.owner(
      `insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
       select $1, $2, timestamptz '2026-03-31 12:00:00Z' + n * interval '1 second', $3, $4, 1.5
       from generate_series(1, $5::integer) n`,
      [world.cast.a.id, await idOf('Busy'), endpoint, status, times],
    )
  }
  member = await world.as(world.cast.a.people.member)
})

const rowsOf = (text: string) =>
  [...text.matchAll(/<code>(GET [^<]+)<\/code>.*?<span class="status-\dxx">(\d+)[ <]/gs)].map(([, ...row]) =>
    row.join(' '),
  )

it.each([
  ['', 16, 'the last 16 requests, newest first.'],
  ['?status=5xx', 1, '1 of the last 16 requests: 5xx.'],
  ['?status=4xx', 2, '2 of the last 16 requests: 4xx.'],
  ['?status=constructor', 16, 'the last 16 requests, newest first.'],
])('the activity of a token %s is a chart of all, and the requests of that class', async (query, rows, said) => {
  const { status, text } = await member.get(`${path}${query}`)
  expect(status).toBe(200)
  expect(rowsOf(text)).toHaveLength(rows)
  expect(text).toContain(said)
  for (const [name, label, bars] of [
    ['2xx', '2xx succeeded: 10', 10],
    ['3xx', '3xx not changed: 3', 3],
    ['4xx', '4xx refused: 2', 2],
    ['5xx', '5xx failed: 1', 1],
  ] as const) {
    const row = text.split('<li class="status-').find((part) => part.includes(label)) ?? ''
    expect(row.match(/<rect /g), label).toHaveLength(bars)
    expect(row).toContain(`href="${path}?status=${name}#activity"`)
  }
})

it('a request is found by its id among those of all tokens, with what it was about', async () => {
  const id = 'a3b0c9d2-7c1f-4c57-9b0e-2f6f0d1c9a11'
  const details = { query: 'category=Microphones&page=2', ignored: ['catgory'], address: '203.0.113.7', agent: '<Zap>' }
  await world.owner(
    `insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms, request_id, details)
     values ($1, $2, timestamptz '2026-03-30', 'GET /v1/items', 401, 1.5, $3, $4)`,
    [world.cast.a.id, await idOf('Busy'), id, JSON.stringify({ ...details, bytes: 1234, cached: true })],
  )
  const { status, location } = await member.get(`${world.tokens()}?request=+${id.toUpperCase()}+`)
  expect([status, location]).toEqual([303, `${path}?request=${id}#activity`])
  const { text } = await member.get(`${path}?request=${id}`)
  expect(rowsOf(text)).toHaveLength(1)
  for (const shown of [
    'category=Microphones page=2',
    'Ignored: catgory',
    'refused: other address',
    '203.0.113.7',
    id,
  ]) {
    expect(text).toContain(shown)
  }
  for (const shown of ['&lt;Zap&gt;', '1,234 B', 'cached']) expect(text).toContain(shown)
  for (const unknown of [id.replace('a', 'b'), 'nonsense']) {
    const list = await member.get(`${world.tokens()}?request=${unknown}`)
    expect(list.text).toContain('No request with this id')
  }
  const stranger = await world.as(world.cast.b.people.owner)
  expect((await stranger.get(`${world.tokens()}?request=${id}`)).status).toBe(404)
  await world.owner('delete from access.request_activity where request_id = $1', [id])
})

it('a token without requests has no chart', async () => {
  const { text } = await member.get(`${world.tokens()}/${await idOf('Idle')}`)
  expect(text).toContain('No requests yet.')
  expect(text).not.toContain('<svg')
})
