import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Reply } from '../support/client.ts'
import { asAdmin } from '../support/server.ts'
import { type List, type Row, useWorld } from '../support/world.ts'

type Element = { id: string }

const world = useWorld()

type Studio = Awaited<ReturnType<typeof world.newStudio>> & { item: string }
let studio: Studio

/** A studio with so many records in each list; some tie. */
async function addRecords(records: number): Promise<Studio> {
  const made = { ...(await world.newStudio()), item: randomUUID() }
  const at = `timestamptz '2026-01-01T00:00:00Z' + n / 3 * interval '1 second'`
  const many = `from generate_series(1, ${records}) as n`
  await world.asOwner(async ({ query }) => {
    for (const text of [
      `insert into app.items (studio_id, id, name, category, purchase_price, updated_at)
       select $1, case n when 1 then $2::uuid else gen_random_uuid() end, 'n' || n, 'Microphones', 1, ${at} ${many}`,
      // The studio already has its default location.
      `insert into app.locations (studio_id, name, updated_at) select $1, $2::uuid::text || n, ${at} ${many} offset 1`,
      `insert into app.maintenance_records (studio_id, item_id, title, updated_at) select $1, $2, 'n' || n, ${at} ${many}`,
      `insert into app.policies (studio_id, name, effective_start, updated_at)
       select $1, $2::uuid::text, date '2026-01-01' + n / 3, ${at} ${many}`,
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       select $1, 'item', case n when 1 then $2::uuid else gen_random_uuid() end, 'deleted', ${at} ${many}`,
    ]) {
      await query(text, [made.id, made.item])
    }
    await query(`update app.sync_state set removals_since = '2000-01-01'`)
  }, made.id)
  return made
}

const asOwner = <Row extends object>(text: string, values: unknown[] = []) =>
  world.asOwner(({ query }) => query<Row>(text, values), studio.id)

async function get(path: string): Promise<Reply<List<Element>>> {
  const reply = await world.get<List<Element>>(path, { token: studio.token })
  expect(reply.status, reply.text).toBe(200)
  return reply
}

const idsOf = (pages: Reply<List<Element>>[]) => pages.flatMap(({ json }) => json.data.map(({ id }) => id))

/** The path of the next page, by its Link. */
function nextOf({ headers }: Reply): string | undefined {
  const [, url] = /^<([^>]+)>; rel="next"$/.exec(String(headers.link ?? '')) ?? []
  return url === undefined ? undefined : new URL(url).pathname + new URL(url).search
}

/** The pages in their order. The test does `between` after the first page. */
async function walk(path: string, between?: (first: string[]) => Promise<unknown>) {
  const pages: Reply<List<Element>>[] = []
  for (let next: string | undefined = path; next !== undefined; ) {
    const reply = await get(next)
    pages.push(reply)
    if (pages.length === 1) await between?.(idsOf(pages))
    next = nextOf(reply)
  }
  return pages
}

const records = 13
const since = 'updated_since=2025-01-01T00:00:00Z'

describe.each([
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
])('%s', (path, table, touch) => {
  beforeAll(async () => {
    studio = await addRecords(records)
  })
  const at = (perPage: number) => `${path.replace('<item>', studio.item)}&per_page=${perPage}`

  test.each([3, 13])('in pages of %i: each record once, in order, by Link as by number', async (perPage) => {
    const whole = idsOf([await get(at(100))])
    expect(whole).toHaveLength(records)
    const pages = await walk(at(perPage))
    expect(idsOf(pages)).toEqual(whole)
    expect(pages).toHaveLength(Math.ceil(records / perPage))
    for (const [index, { text, json }] of pages.entries()) {
      const page = index + 1
      expect(json.data).toHaveLength(Math.min(perPage, records - index * perPage))
      expect(json.meta).toMatchObject({ page, per_page: perPage, next_page: page < pages.length ? page + 1 : null })
      expect((await get(`${at(perPage)}&page=${page}`)).text).toBe(text)
    }
    expect(nextOf(await get(`${at(perPage)}&page=99`))).toBeUndefined()
  })

  test('one that was seen leaves, of the others two change and one leaves: the rest is met once', async () => {
    const before = idsOf([await get(at(100))])
    const [home] = await asOwner<Element>('select id from app.locations where is_default')
    const free = (ids: string[]) => ids.filter((id) => id !== studio.item && id !== home?.id)
    let changed: string[] = []
    let gone: string[] = []
    const pages = await walk(at(4), async (first) => {
      const unseen = free(before.filter((id) => !first.includes(id)))
      // An offset would meet one twice: two come before it, and one leaves.
      changed = unseen.slice(0, 2)
      gone = unseen.slice(2, 3)
      for (const id of changed) await asOwner(`update app.${table} set ${touch} where id = $1`, [id])
      for (const id of [...gone, ...free(first).slice(0, 1)]) {
        await asOwner(`delete from app.${table} where id = $1`, [id])
      }
    })
    const met = idsOf(pages)
    // What has changed is in front now, or may still be met where it was: the next poll finds it.
    const moved = new Set([...changed, ...gone])
    expect(met.filter((id) => !moved.has(id))).toEqual(before.filter((id) => !moved.has(id)))
    expect(new Set(met).size).toBe(met.length)
  })

  test('by number, one that was not seen changes: it comes to the front, and no other is lost', async () => {
    const before = idsOf([await get(at(50))])
    const numbered = async (page: number) => idsOf([await get(`${at(5)}&page=${page}`)])
    const first = await numbered(1)
    const changed = before.findLast((id) => id !== studio.item) ?? ''
    await asOwner(`update app.${table} set ${touch} where id = $1`, [changed])
    const rest = [...(await numbered(2)), ...(await numbered(3))]
    // The change pushes a record onto the next page, which shows it once more.
    expect(rest).toEqual([...first.slice(-1), ...before.slice(5).filter((id) => id !== changed)])
  })
})

describe('a cursor', () => {
  let [first, next] = [{} as Reply<List<Element>>, '']
  beforeAll(async () => {
    studio = await addRecords(records)
    first = await get('/v1/items?per_page=4')
    next = nextOf(first) ?? ''
  })

  test('of another studio, with that studio’s own token: 400, and nothing of either', async () => {
    const { status, text } = await world.get(next)
    expect([status, text.includes('"data"')]).toEqual([400, false])
  })

  test('may go on with another token of the studio, at another process', async () => {
    const again = await world.start()
    const { status, json } = await again.get<List<Element>>(next, { token: studio.token })
    expect([status, json.data.length, json.meta.page]).toEqual([200, 4, 2])
  })

  test('outlives the record that it names', async () => {
    const expected = (await get('/v1/items?per_page=4&page=2')).json.data
    const last = first.json.data.at(-1)?.id ?? ''
    expect(last).not.toBe(studio.item)
    await asOwner('delete from app.items where id = $1', [last])
    expect((await get(next)).json.data).toEqual(expected)
  })
})

/** An index may give an order by chance that the statement does not ask for. */
async function dropIndexes(): Promise<void> {
  const indexes = await world.owner<{ name: string }>(
    `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'app'::regnamespace and not i.indisunique`,
  )
  expect(indexes.length).toBeGreaterThan(5)
  for (const { name } of indexes) await world.owner(`drop index ${name}`)
}

test('10,000 items of one timestamp, of which one in fifty is archived, have one total order, without indexes too', async () => {
  const { id, token } = await world.newStudio()
  const listed = await asAdmin(world.database, async (admin) => {
    // Without triggers, which takes seconds less; the service finds no page beyond the count.
    await admin.query('set session_replication_role = replica')
    const many = `insert into app.items (studio_id, name, updated_at, archived_at)
      select $1, 'x', '2025-01-01', case when n % 50 = 0 then now() end from generate_series(1, 10000) as n
      returning id, archived_at`
    const { rows } = await admin.query<Element & { archived_at: Date | null }>(many, [id])
    const counted = `insert into app.item_counts (studio_id, category, coverage_state, slot, items) values ($1, '*', '*', 0, $2)`
    await admin.query(counted, [id, 9_800])
    return rows.filter((row) => row.archived_at === null).map((row) => row.id)
  })
  const read = async (number: number) => {
    const { data } = await world.read<List<Row>>(`/v1/items?per_page=100&page=${number}`, { token })
    return data.map((row) => row.id)
  }
  const pages: string[][] = []
  do pages.push(await read(pages.length + 1))
  while (pages.at(-1)?.length === 100)
  expect(listed).toHaveLength(9_800)
  expect(pages.flat()).toEqual(listed.toSorted().toReversed())
  await dropIndexes()
  await world.add('items', { name: 'Moves the version' }, id)
  const rest = pages.flat().slice(0, 998)
  const again = (await Promise.all(Array.from({ length: 10 }, (_, at) => read(at + 1)))).flat()
  expect(again.slice(1, 999)).toEqual(rest)
})
