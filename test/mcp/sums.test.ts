import { beforeAll, expect, test } from 'vitest'
import { categories } from '../../src/domain/vocabulary.ts'
import { useWorld } from '../support/world.ts'
import { type Assistant, overHttp } from './support.ts'

const world = useWorld({ mcp: true })

type Group = { key: string | null; count: number; purchase_price: string; reported_insured_value: string }
type Sums = { by: string; currency: string; groups: Group[]; total: Omit<Group, 'key'>; complete: boolean }

let [studio, room] = ['', '']
let assistant: Assistant

/** 230 items: three pages, amounts that no binary fraction holds, and the largest amounts. */
beforeAll(async () => {
  const { id, token } = await world.newStudio()
  studio = id
  room = await world.add('locations', { name: 'Control room' }, studio)
  await world.write(async ({ query }) => {
    await query(
      `insert into app.items (studio_id, id, name, category, location_id, purchase_price, reported_insured_value, manual_value)
       select $1, gen_random_uuid(), 'Item ' || n, ($2::text[])[1 + n % 5], case when n % 3 = 0 then $3::uuid end,
         case when n % 50 = 0 then 999999999999.99 else n * 0.1 + 0.07 end, n * 1.01, case when n % 2 = 0 then n * 0.7 end
       from generate_series(1, 230) as n`,
      [studio, categories, room],
    )
  }, studio)
  assistant = await overHttp(world.service.url, token)
  return () => assistant.close()
})

const sum = async (given: Record<string, unknown>) => (await assistant.call('sum_items', given)).content as Sums
const byKey = (groups: Group[]) => Object.fromEntries(groups.map(({ key, ...sums }) => [String(key), sums]))

/** The same, by PostgreSQL. */
async function expected(key: string) {
  const text = `
    select ${key} as key, count(*)::int as count, sum(i.purchase_price)::text as purchase_price,
      sum(i.reported_insured_value)::text as reported_insured_value
    from app.items as i left join app.item_valuations as v on v.studio_id = i.studio_id and v.item_id = i.id
    where i.studio_id = $1 group by 1`
  return byKey(await world.asOwner(({ query }) => query<Group>(text, [studio]), studio))
}

test.each([
  ['category', 'i.category'],
  ['location', 'i.location_id'],
  ['coverage_state', 'v.coverage_state'],
])('sums by %s are those of PostgreSQL, to the cent', async (by, key) => {
  const { groups, complete, currency } = await sum({ by })
  expect(byKey(groups)).toEqual(await expected(key))
  expect({ complete, currency }).toEqual({ complete: true, currency: 'EUR' })
})

test('filters hold for the sums', async () => {
  const { groups } = await sum({ by: 'coverage_state', category: categories[0] })
  const all = await sum({ by: 'category' })
  expect(groups.reduce((count, group) => count + group.count, 0)).toBe(46)
  expect(all.groups.find(({ key }) => key === categories[0])?.count).toBe(46)
})

test('items whose valuation is not available are a group of their own, and not left out', async () => {
  const { a } = world.cast
  const other = await overHttp(world.service.url, a.token.token)
  const { groups, total } = (await other.call('sum_items', { by: 'coverage_state' })).content as Sums
  expect(groups.find(({ key }) => key === null)).toMatchObject({ count: 1, purchase_price: '650.00' })
  expect(total.count).toBe(6)
  await other.close()
})

test('sums count against the quota of the token, and wait for the next second of it', async () => {
  const quota = { perSecond: 2, perMinute: 1_000 }
  const limits = { studio: quota, pro: quota, failedPerMinute: 99 }
  const service = await world.start({ mcp: true, limits })
  const { id, token } = await world.newStudio()
  await world.add('items', { name: 'Cable', purchase_price: 3 }, id)
  const other = await overHttp(service.url, token)
  const { total } = (await other.call('sum_items', { by: 'coverage_state' })).content as Sums
  expect(total).toMatchObject({ count: 1, purchase_price: '3.00' })
  expect(service.log()).toContain('"status":429')
  await other.close()
})
