import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { deeper } from '../support/depth.ts'
import { type List, newestFirst, type Row, useWorld } from '../support/world.ts'

const world = useWorld()
const size = 16

/** Lists in the order of updates: table, path, and what makes so many rows. */
const lists = [
  ['items', '/v1/items', `app.items (studio_id, name) select $1, 'Item' from generate_series(1, ${size})`],
  ['locations', '/v1/locations', `app.locations (studio_id, name) select $1, 'Room' from generate_series(2, ${size})`],
  [
    'maintenance_records',
    '/v1/maintenance',
    `app.maintenance_records (studio_id, item_id, title) select $1, id, 'Check' from app.items where studio_id = $1`,
  ],
] as const

let studio = { id: '', token: '' }
const make = (rows: string, ...values: unknown[]) =>
  world.write(({ query }) => query(`insert into ${rows}`, [studio.id, ...values]), studio.id)
beforeAll(async () => {
  studio = await world.newStudio()
  for (const [, , rows] of lists) await make(rows)
})

const read = <Element = Row>(path: string) => world.read<List<Element>>(path, { token: studio.token })

/** All pages: each one's next_page leads to the next. */
async function walk<Element = Row>(path: string): Promise<{ rows: Element[]; totals: Set<number> }> {
  const rows: Element[] = []
  const totals = new Set<number>()
  for (let page: number | null = 1; page !== null; ) {
    const { data, meta }: List<Element> = await read(`${path}&page=${page}`)
    expect(data.length > 0 || meta.total === 0).toBe(true)
    rows.push(...data)
    totals.add(meta.total)
    page = meta.next_page
  }
  return { rows, totals }
}

/** Moments of few values, so that most of them are shared. */
const moments = fc.array(
  fc.integer({ min: 0, max: 4 }).map((ms) => new Date(Date.UTC(2025, 0, 1) + ms).toISOString()),
  { minLength: size, maxLength: size },
)

/** A moment before, among or after those, or none at all. */
const since = fc.option(
  fc.integer({ min: -1, max: 5 }).map((ms) => new Date(Date.UTC(2025, 0, 1) + ms).toISOString()),
  { nil: '' },
)

/** Page sizes below, at and above the number of rows. */
const perPages = (rows = size) => fc.integer({ min: 1, max: rows + 2 })

// An index may give an order by chance that the statement does not ask for.
describe.each(['with its indexes', 'without any index but the keys'])('%s', (indexes) => {
  beforeAll(async () => {
    if (indexes.startsWith('without')) await dropIndexes()
  })

  test.each(lists)(
    '%s: whatever the timestamps and the page size, the pages are the whole set in total order',
    async (table, path) => {
      const all = await read(`${path}?per_page=100`)
      expect(all.data).toHaveLength(size)
      const ids = all.data.map(({ id }) => id)
      await fc.assert(
        fc.asyncProperty(moments, since, perPages(), async (times, from, perPage) => {
          const given = ids.map((id, index) => ({ id, updated_at: times[index] ?? '' }))
          await world.setUpdatedAt(table, Object.fromEntries(given.map((row) => [row.id, row.updated_at])), studio.id)
          const expected = newestFirst(given.filter(({ updated_at }) => updated_at >= from))
          const filter = from === '' ? '' : `&updated_since=${from}`
          const { rows, totals } = await walk(`${path}?per_page=${perPage}${filter}`)
          expect(rows.map(({ id, updated_at }) => ({ id, updated_at }))).toEqual(expected)
          expect([...totals]).toEqual([expected.length])
        }),
        { numRuns: 6 * deeper },
      )
    },
  )

  test('policies: for any starts and page size, the pages are the whole set in total order', async () => {
    await make(
      `app.policies (studio_id, name, effective_start) select $1, 'P', '2020-01-01' from generate_series(1, ${size})`,
    )
    const move = `update app.policies set effective_start = t.day
      from unnest($1::uuid[], $2::date[]) t (id, day) where policies.id = t.id`
    type Policy = { id: string; effective_start: string }
    const ids = (await read<Policy>('/v1/policies?per_page=100')).data.map(({ id }) => id)
    const few = fc.integer({ min: 1, max: 4 }).map((day) => `2024-01-0${day}`)
    const starts = fc.array(few, { minLength: ids.length, maxLength: ids.length })
    await fc.assert(
      fc.asyncProperty(starts, perPages(ids.length), async (days, perPage) => {
        await world.write(({ query }) => query(move, [ids, days]), studio.id)
        const { rows } = await walk<Policy>(`/v1/policies?per_page=${perPage}`)
        const expected = ids.map((policy, index) => `${days[index]} ${policy}`).toSorted()
        expect(rows.map((policy) => `${policy.effective_start} ${policy.id}`)).toEqual(expected.toReversed())
      }),
      { numRuns: 5 * deeper },
    )
  })

  test('items of a policy: for any page size, the pages are all assignments, by item', async () => {
    const policy = await world.add('policies', { name: 'Tour' }, studio.id)
    await make(
      `app.policy_assignments (studio_id, item_id, policy_id, declared_value)
       select $1, id, $2, row_number() over () from (select id from app.items limit 4) as i, generate_series(1, 4)`,
      policy,
    )
    type Declared = { item_id: string; declared_value: number }
    const path = `/v1/policies/${policy}/items`
    const whole = (await read<Declared>(`${path}?per_page=100`)).data
    expect(whole.map((each) => each.declared_value).toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: size }, (_, index) => index + 1),
    )
    const items = whole.map((each) => each.item_id)
    expect(items).toEqual(items.toSorted().toReversed())
    await fc.assert(
      fc.asyncProperty(perPages(), async (perPage) => {
        expect((await walk<Declared>(`${path}?per_page=${perPage}`)).rows).toEqual(whole)
      }),
      { numRuns: 5 * deeper },
    )
  })
})

async function dropIndexes(): Promise<void> {
  const indexes = await world.owner<{ name: string }>(
    `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indrelid
     where c.relnamespace = 'app'::regnamespace and not i.indisunique`,
  )
  expect(indexes.length).toBeGreaterThan(5)
  for (const { name } of indexes) await world.owner(`drop index ${name}`)
}

test.each(lists)('%s: any page number and size returns that slice, of 50 when no size is given', async (_, path) => {
  const { data: whole } = await read(`${path}?per_page=100`)
  expect((await read(path)).meta).toEqual({ page: 1, per_page: 50, total: size, next_page: null })
  const numbers = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(2n ** 53n + 1n, 10n ** 999n))
  const sizes = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constant(10n ** 300n))
  await fc.assert(
    fc.asyncProperty(numbers, sizes, async (page, perPage) => {
      const { data, meta } = await read(`${path}?page=${page}&per_page=${perPage}`)
      const effective = Number(perPage > 100 ? 100 : perPage)
      const before = (Number(page) - 1) * effective
      expect(data).toEqual(whole.slice(before, before + effective))
      const next_page = before + effective < size ? Number(page) + 1 : null
      expect(meta).toMatchObject({ per_page: effective, total: size, next_page })
    }),
    { numRuns: 15 * deeper },
  )
})
