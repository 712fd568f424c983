import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../support/client.ts'
import { type List, useWorld } from '../support/world.ts'

const world = useWorld()

type Studio = Awaited<ReturnType<typeof world.newStudio>>
type Element = { id: string }

const records = 13
let studio: Studio
let item: string

/** A studio with so many records in each list; some tie. */
async function addRecords(): Promise<void> {
  studio = await world.newStudio()
  item = randomUUID()
  const at = `timestamptz '2026-01-01T00:00:00Z' + n / 3 * interval '1 second'`
  const many = `from generate_series(1, ${records}) as n`
  await world.asOwner(async ({ query }) => {
    await query(`select set_config('studio.id', $1, true)`, [studio.id])
    for (const text of [
      `insert into app.items (studio_id, id, name, category, purchase_price, updated_at)
       select $1, case n when 1 then $2::uuid else gen_random_uuid() end, 'n' || n, 'Microphones', 1, ${at} ${many}`,
      // The default one is there already.
      `insert into app.locations (studio_id, name, updated_at) select $1, $2::uuid::text || n, ${at} ${many} offset 1`,
      `insert into app.maintenance_records (studio_id, item_id, title, updated_at) select $1, $2, 'n' || n, ${at} ${many}`,
      `insert into app.policies (studio_id, name, effective_start, updated_at)
       select $1, $2::uuid::text, date '2026-01-01' + n / 3, ${at} ${many}`,
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       select $1, 'item', case n when 1 then $2::uuid else gen_random_uuid() end, 'deleted', ${at} ${many}`,
    ]) {
      await query(text, [studio.id, item])
    }
    await query(`update app.sync_state set removals_since = '2000-01-01'`)
  })
}

/** A studio that no test changes; made once. */
let unchanged: Promise<[Studio, string]> | undefined
async function addRecordsOnce(): Promise<void> {
  unchanged ??= addRecords().then((): [Studio, string] => [studio, item])
  ;[studio, item] = await unchanged
}

const asOwner = <Row extends object>(text: string, values: unknown[] = []) =>
  world.asOwner(async ({ query }) => {
    await query(`select set_config('studio.id', $1, true)`, [studio.id])
    return query<Row>(text, values)
  })

async function get(path: string): Promise<Reply<List<Element>>> {
  const reply = await world.get<List<Element>>(path, { token: studio.token })
  expect(reply.status, reply.text).toBe(200)
  return reply
}

/** The path of the next page, by its Link. */
function nextOf({ headers }: Reply): string | undefined {
  const [, url] = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? '')) ?? []
  return url === undefined ? undefined : new URL(url).pathname + new URL(url).search
}

/** The ids of each page, in their order; `between` is done after the first page. */
async function walk(path: string, between?: (first: string[]) => Promise<unknown>): Promise<string[][]> {
  const pages: string[][] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const reply = await get(next)
    pages.push(reply.json.data.map(({ id }) => id))
    if (pages.length === 1) await between?.(pages[0] ?? [])
    next = nextOf(reply)
  }
  return pages
}

type Walked = [path: string, table: string, touch: string]
const since = 'updated_since=2025-01-01T00:00:00Z'
const lists: Walked[] = [
  ['/v1/items?', 'items', `name = name || '!'`],
  ['/v1/items?category=Microphones&coverage_state=uninsured', 'items', `name = name || '!'`],
  [`/v1/items?${since}`, 'items', `name = name || '!'`],
  ['/v1/locations?', 'locations', `name = name || '!'`],
  [`/v1/locations?${since}`, 'locations', `name = name || '!'`],
  ['/v1/maintenance?', 'maintenance_records', `vendor = 'x'`],
  ['/v1/maintenance?item_id=<item>', 'maintenance_records', `vendor = 'x'`],
  [`/v1/maintenance?${since}`, 'maintenance_records', `vendor = 'x'`],
  ['/v1/policies?', 'policies', 'effective_start = current_date'],
  [`/v1/policies?${since}`, 'policies', 'effective_start = current_date'],
  ['/v1/removals?', 'removals', 'removed_at = clock_timestamp()'],
  [`/v1/removals?${since}`, 'removals', 'removed_at = clock_timestamp()'],
]

describe.each(lists)('%s', (path, table, touch) => {
  const at = (perPage: number) => `${path.replace('<item>', item)}&per_page=${perPage}`

  describe('while nothing changes', () => {
    beforeAll(addRecordsOnce)

    test.each([1, 5, 13])('in pages of %i: each record once, in order, and no page is empty', async (perPage) => {
      const whole = (await get(at(100))).json.data.map(({ id }) => id)
      expect(whole).toHaveLength(records)
      const pages = await walk(at(perPage))
      expect(pages.flat()).toEqual(whole)
      expect(pages.map((page) => page.length)).toEqual(
        Array.from({ length: Math.ceil(records / perPage) }, (_, n) => Math.min(perPage, records - n * perPage)),
      )
    })

    test('a page by its cursor is the page by its number, body and all', async () => {
      for (let page = 1; ; page++) {
        const reply = await get(`${at(3)}&page=${page}`)
        const next = nextOf(reply)
        expect(next !== undefined).toBe(reply.json.meta.next_page !== null)
        if (next === undefined) break
        expect((await get(next)).text).toBe((await get(`${at(3)}&page=${page + 1}`)).text)
      }
    })

    test('past the end there is no next page', async () => {
      expect(nextOf(await get(`${at(3)}&page=99`))).toBeUndefined()
    })
  })

  describe('while records come, change and leave', () => {
    beforeAll(addRecords)

    test('one that was seen leaves, of the others two change and one leaves: the rest is met once', async () => {
      const before = (await get(at(100))).json.data.map(({ id }) => id)
      const [home] = await asOwner<Element>('select id from app.locations where is_default')
      const free = (ids: string[]) => ids.filter((id) => id !== item && id !== home?.id)
      let changed: string[] = []
      let gone: string[] = []
      const met = (
        await walk(at(4), async (first) => {
          const unseen = free(before.filter((id) => !first.includes(id)))
          // An offset would meet one twice: two come before it, and one leaves.
          changed = unseen.slice(0, 2)
          gone = unseen.slice(2, 3)
          for (const id of changed) await asOwner(`update app.${table} set ${touch} where id = $1`, [id])
          for (const id of [...gone, ...free(first).slice(0, 1)]) {
            await asOwner(`delete from app.${table} where id = $1`, [id])
          }
        })
      ).flat()
      // What has changed is in front now, or may still be met where it was: the next poll finds it.
      const moved = new Set([...changed, ...gone])
      expect(met.filter((id) => !moved.has(id))).toEqual(before.filter((id) => !moved.has(id)))
      expect(new Set(met).size).toBe(met.length)
    })
  })
})

test('a cursor outlives the record that it names', async () => {
  await addRecords()
  const first = await get('/v1/items?per_page=4')
  const last = first.json.data.at(-1)?.id ?? ''
  const expected = (await get('/v1/items?per_page=4&page=2')).json.data
  await asOwner('delete from app.items where id = $1', [last === item ? randomUUID() : last])
  expect((await get(nextOf(first) ?? '')).json.data).toEqual(expected)
})

test('a cursor of another studio, with that studio’s own token: 400, and nothing of either', async () => {
  await addRecords()
  const next = nextOf(await get('/v1/items?per_page=2')) ?? ''
  const { status, text } = await world.get(next)
  expect(status).toBe(400)
  expect(text).not.toContain('"data"')
})

test('another token of the studio may go on with a walk', async () => {
  await addRecords()
  const first = await get('/v1/items?per_page=4')
  const next = nextOf(first) ?? ''
  const again = await world.start()
  const { status, json } = await again.get<List<Element>>(next, { token: studio.token })
  expect([status, json.data.length, json.meta.page]).toEqual([200, 4, 2])
})
