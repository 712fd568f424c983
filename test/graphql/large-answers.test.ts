import { describe, expect, test } from 'vitest'
import { useGraphql } from './support.ts'

const world = useGraphql()

type Groups = { items: { groupedAggregates: { keys: (string | null)[] }[] } }

describe('groups', () => {
  test('are read in pages, in the order of their keys, each once', async () => {
    const query = (page: string) =>
      `{ items { groupedAggregates(groupBy: [CATEGORY, COVERAGE_STATE]${page}) { keys } } }`
    const all = (await world.read<Groups>(query(''))).items.groupedAggregates
    expect(all.length).toBeGreaterThan(3)
    const read: Groups['items']['groupedAggregates'] = []
    for (let offset = 0; offset < all.length; offset += 2) {
      const { items } = await world.read<Groups>(query(`, first: 2, offset: ${offset}`))
      expect(items.groupedAggregates.length).toBeLessThanOrEqual(2)
      read.push(...items.groupedAggregates)
    }
    expect(read).toEqual(all)
  })

  test('of each record of a list have pages of their own', async () => {
    const { locations } = await world.read<{ locations: { nodes: Groups[] } }>(`{ locations(first: 10) {
      nodes { items { groupedAggregates(groupBy: [CATEGORY], first: 1) { keys sum { purchasePrice } } } }
    } }`)
    expect(locations.nodes.map(({ items }) => items.groupedAggregates.length)).toContain(1)
    for (const { items } of locations.nodes) expect(items.groupedAggregates.length).toBeLessThanOrEqual(1)
  })

  test('are at most a thousand, and the error says how to read more', async () => {
    await world.write((transaction) =>
      transaction.query(
        `insert into app.items (studio_id, id, name, category, manufacturer)
         select $1, gen_random_uuid(), 'one of many', 'Other / Uncategorised', 'Maker ' || n from generate_series(1, 1001) as n`,
        [world.cast.a.id],
      ),
    )
    const query = (page: string) => `{ items { groupedAggregates(groupBy: [MANUFACTURER]${page}) { keys } } }`
    const refused = await world.ask(query(''))
    expect([refused.status, refused.errors?.[0]?.extensions.code]).toEqual([400, 'too_much'])
    expect(refused.errors?.[0]?.message).toMatch(
      /^There are more than 1000 groups: .*"filter".*"first" and "offset"\.$/,
    )
    expect((await world.read<Groups>(query(', first: 1000'))).items.groupedAggregates).toHaveLength(1000)
    const rest = await world.read<Groups>(query(', first: 1000, offset: 1000'))
    expect(rest.items.groupedAggregates.length).toBeGreaterThan(0)
    expect(rest.items.groupedAggregates.length).toBeLessThan(1000)
  })

  test.each(['first: 1001', 'first: -1', 'offset: -1'])('%s is refused', async (page) => {
    const reply = await world.ask(`{ items { groupedAggregates(groupBy: [CATEGORY], ${page}) { keys } } }`)
    expect([reply.status, reply.errors?.[0]?.extensions.code]).toEqual([400, 'too_much'])
  })
})

describe('an answer', () => {
  test('of more than 8 MB is refused, and its connection serves others afterwards', async () => {
    await world.write((transaction) =>
      transaction.query(
        `insert into app.maintenance_records (studio_id, item_id, title, description)
         select $1, $2, 'long', repeat(md5(n::text), 500) from generate_series(1, 600) as n`,
        [world.cast.a.id, world.cast.a.items.microphone],
      ),
    )
    const list = (first: number) => `{ maintenanceRecords(first: ${first}) { nodes { description } } }`
    const aliases = `{ maintenanceRecords(first: 100) { nodes { ${Array.from({ length: 20 }, (_, n) => `d${n}: description`).join(' ')} } } }`
    for (const query of [list(600), aliases]) {
      const reply = await world.ask(query)
      expect([reply.status, reply.errors?.[0]?.extensions.code]).toEqual([400, 'too_much'])
      expect(reply.errors?.[0]?.message).toBe(
        'The answer is larger than 8 MB: request fewer records, groups or fields, or read it in pages.',
      )
    }
    await world.read(list(300))
  })
})
