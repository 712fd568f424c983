import { beforeAll, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import type { problem } from '../../src/docs/openapi/problem.ts'
import { fillStudio } from '../support/bulk.ts'
import { asAdmin } from '../support/server.ts'
import { type List, type Row, useWorld } from '../support/world.ts'

type Problem = z.infer<typeof problem>

const world = useWorld()

/** The four lists, and what fills a studio with 120 more of each. */
const lists = [
  ['/v1/items', `insert into app.items (studio_id, name) select $1, 'Item ' || n from generate_series(1, 120) n`],
  [
    '/v1/locations',
    `insert into app.locations (studio_id, name) select $1, 'Room ' || n from generate_series(1, 120) n`,
  ],
  [
    '/v1/maintenance',
    `insert into app.maintenance_records (studio_id, item_id, title)
     select $1, (select id from app.items where name = 'Guitar'), 'Check ' || n from generate_series(1, 120) n`,
  ],
  [
    '/v1/policies',
    `insert into app.policies (studio_id, name, effective_start)
     select $1, 'Policy ' || n, '2020-01-01'::date + n % 7 from generate_series(1, 120) n`,
  ],
] as const

beforeAll(async () => {
  for (const [, statement] of lists) await world.write(({ query }) => query(statement, [world.cast.a.id]))
})

async function walk(path: string, perPage: number): Promise<Row[]> {
  const rows: Row[] = []
  for (let page: number | null = 1; page !== null; ) {
    const body: List<Row> = await world.read(`${path}?page=${page}&per_page=${perPage}`)
    expect(body.meta).toMatchObject({ page, per_page: perPage })
    rows.push(...body.data)
    page = body.meta.next_page
  }
  return rows
}

describe.each(lists)('GET %s', (path) => {
  const read = (query = '') => world.read<List<Row>>(`${path}${query}`)

  test('the first page of 50 is the default', async () => {
    const body = await read()
    expect(body.meta).toEqual({ page: 1, per_page: 50, total: expect.any(Number), next_page: 2 })
    expect(body.meta.total).toBeGreaterThan(120)
    expect(body.data).toHaveLength(50)
    expect((await read('?page=1&per_page=50')).data).toEqual(body.data)
  })

  test('a per_page above 100 is silently capped', async () => {
    const whole = await read('?per_page=100')
    expect([whole.meta.per_page, whole.data.length]).toEqual([100, 100])
    for (const size of ['101', '9'.repeat(300)]) expect(await read(`?per_page=${size}`)).toEqual(whole)
  })

  test.each(['1000', '9007199254740993', '9'.repeat(1000)])(
    'page %s is past the end: 200, empty, no next page, the true total',
    async (page) => {
      const { meta } = await read()
      for (const size of ['', '&per_page=1', '&per_page=100']) {
        const body = await read(`?page=${page}${size}`)
        expect(body.data).toEqual([])
        expect(body.meta).toMatchObject({ total: meta.total, next_page: null })
      }
    },
  )

  // Whatever else is no positive integer is tried in test/http/parameters.test.ts.
  test.each(['0', '', '1.5', 'one'])(
    'page and per_page that are not positive integers are refused: "%s"',
    async (text) => {
      for (const name of ['page', 'per_page']) {
        const reply = await world.get<Problem>(`${path}?${name}=${encodeURIComponent(text)}`)
        expect(reply.status).toBe(400)
        expect(reply.json.code).toBe('invalid_parameter')
        expect(reply.json.errors).toMatchObject([{ parameter: name, code: 'not_a_positive_integer' }])
      }
    },
  )
})

test('pages stay stable while items are written: what was not changed moves behind, nothing is lost', async () => {
  const before = await walk('/v1/items', 100)
  const first = await world.read<List<Row>>('/v1/items?per_page=60')
  await world.change('items', world.cast.a.items.guitar, { model: 'Moved to the front' })
  const rest = [
    ...(await world.read<List<Row>>('/v1/items?per_page=60&page=2')).data,
    ...(await world.read<List<Row>>('/v1/items?per_page=60&page=3')).data,
  ]
  const seen = new Set([...first.data, ...rest].map(({ id }) => id))
  for (const { id } of before) expect(seen.has(id) || id === world.cast.a.items.guitar).toBe(true)
})

test('10,000 items of one timestamp have one total order', async () => {
  const { id, token } = await world.newStudio()
  await asAdmin(world.database, async (admin) => {
    await fillStudio((text, values = []) => admin.query(text, [...values]), id, { items: 10_000 })
    await admin.query(`set session_replication_role = replica`)
    await admin.query(`update app.items set updated_at = '2025-01-01T00:00:00Z' where studio_id = $1`, [id])
  })
  const ids: string[] = []
  for (let page: number | null = 1; page !== null; ) {
    const { data, meta }: List<Row> = await world.read(`/v1/items?per_page=100&page=${page}`, { token })
    ids.push(...data.map((row) => row.id))
    page = meta.next_page
    // One in fifty is archived.
    expect(meta.total).toBe(9_800)
  }
  expect(new Set(ids).size).toBe(9_800)
  expect(ids).toEqual(ids.toSorted().toReversed())
})
