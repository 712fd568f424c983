import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { type Copy, createPlainPoller, createSyncClient, type SyncClient } from './client.ts'
import { type Clock, installClock } from './clock.ts'
import { usePair } from './pair.ts'
import { millisecondsToMidnight } from './studio.ts'

vi.setConfig({ testTimeout: 120_000 })

/** The studio's midnight, at which policies begin and end though nobody writes, beside writers and
 * clocks that move. */
const { world, together, newStudio, passed, expectExact } = usePair()
let clock: Clock
beforeAll(async () => {
  clock = await installClock(world.database)
})

const timezone = 'Asia/Kolkata'
const today = `((now() + (select ahead from tests.clock)) at time zone '${timezone}')::date`
const insert = `insert into app.policies (studio_id, name, effective_start, effective_end)
  select $1, 'Tour ' || n, ${today} - 9, ${today} + n % 2 from generate_series(1, 6) as n`

/** A studio with an item and six policies, of which three end today, and a client that has them. */
async function studioWithRecords() {
  const furnish = (id: string) =>
    world.write(async ({ query }) => {
      await query(insert, [id])
      await query(`insert into app.items (studio_id, name) values ($1, 'Tape machine')`, [id])
    }, id)
  const studio = await newStudio({ timezone, furnish })
  expect(studio.client.copy.policy.size).toBe(6)
  return studio
}

/** Moves the clock to so many milliseconds before the studio's next midnight. */
const moveBeforeMidnight = async (id: string, milliseconds: number) =>
  clock.move((await millisecondsToMidnight(world.database, id)) - milliseconds)

test('a policy that ends at midnight is not missed though who wrote it commits long after', async () => {
  const { id, token, client } = await studioWithRecords()
  await moveBeforeMidnight(id, 1_000)
  await together(id, async (writer) => {
    await writer.run(`update app.policies set effective_end = ${today} where studio_id = $1`, [id])
    await sleep(3_000)
    await client.poll()
    await client.poll()
    await writer.run('commit')
  })
  await expectExact(client, token)
  expect(client.copy.policy.size).toBe(0)
})

test('a writer whose snapshot is of the day before ends policies by the day of its stamp', async () => {
  const { id, token, client } = await studioWithRecords()
  const open = 'update app.policies set effective_end = null where studio_id = $1'
  await world.write(({ query }) => query(open, [id]), id)
  await together(
    id,
    async (writer) => {
      const [row] = await writer.run<{ today: string }>(`select ${today}::text as today`)
      await clock.move(3 * 86_400_000)
      await passed()
      await client.poll()
      expect(client.copy.policy.size).toBe(6)
      await writer.run('update app.policies set effective_end = $2::date + 1 where studio_id = $1', [id, row?.today])
      await writer.run('commit')
    },
    'begin isolation level repeatable read',
  )
  await expectExact(client, token)
  expect(client.copy.policy.size).toBe(0)
})

test.each([
  ['are back when another time zone is still in the day before', -1_000, 'Pacific/Pago_Pago', 3, 6],
  ['end at once when another time zone is in the day after', 3_600_000, 'Pacific/Kiritimati', 6, 3],
])('policies %s', async (_what, toMidnight, timezone, before, after) => {
  const { id, token, client } = await studioWithRecords()
  await moveBeforeMidnight(id, toMidnight)
  await expectExact(client, token)
  expect(client.copy.policy.size).toBe(before)
  await world.owner('update app.studios set timezone = $2 where id = $1', [id, timezone])
  await expectExact(client, token)
  expect(client.copy.policy.size).toBe(after)
})

test('a policy ends at midnight though a clock that was ahead has announced a later moment', async () => {
  const { id, token, client } = await studioWithRecords()
  await moveBeforeMidnight(id, 300)
  await sleep(2_500)
  await clock.move(-3_000)
  await together(id, async (writer) => {
    await writer.run(`update app.policies set effective_end = ${today} where studio_id = $1`, [id])
    await sleep(4_000)
    await client.poll()
    await writer.run('commit')
  })
  await expectExact(client, token)
  expect(client.copy.policy.size).toBe(0)
})

test('at the end of a month values move, and no item does; both are copied exactly while somebody writes', async () => {
  const insert = `insert into app.items
      (studio_id, name, purchase_price, acquisition_date, depreciation_method, useful_life_months, reported_insured_value)
    select $1, 'Amplifier ' || n, 100 * n, ${today} - n, 'straight_line', 60, 90 * n from generate_series(1, 150) as n`
  const furnish = (id: string) => world.write(({ query }) => query(insert, [id]), id)
  const { id, token, client } = await newStudio({ timezone, furnish })
  const moved = (before: Copy, what: 'item' | 'valuation') =>
    [...before[what]].filter(([key, text]) => client.copy[what].get(key) !== text).length
  const refresh = () =>
    world.owner<{ valued: number }>('select valued from valuation.refresh_studio($1, at_most => 40)', [id])

  const read = structuredClone(client.copy)
  await clock.move(32 * 86_400_000)
  await together(id, async (writer) => {
    await writer.run(
      `update app.items set reported_insured_value = 1, name = name || '!' where studio_id = $1
      and id in (select id from app.items where studio_id = $1 order by id limit 20)`,
      [id],
    )
    for (let round = 0; round < 6; round += 1) {
      await refresh()
      await client.poll()
    }
    await writer.run('commit')
  })
  // What the writer held is due as well; the write itself has valued it.
  expect((await refresh())[0]?.valued).toBe(0)
  await expectExact(client, token)
  expect([moved(read, 'item'), moved(read, 'valuation')]).toEqual([20, 150])
})

test('after a clock that was two hours ahead is set back, polls return changes at once, and policies begin at their midnight', async () => {
  const { id, token, client } = await studioWithRecords()
  const way = { baseUrl: () => `${world.service.url}/v1`, token }
  const plain = createPlainPoller(way)
  const write = (text: string) => world.write(({ query }) => query(text, [id]), id)
  /** Polls until these clients hold the items that a new one reads. */
  const expectItems = (...clients: SyncClient[]) =>
    vi.waitFor(
      async () => {
        const truth = createSyncClient(way)
        await Promise.all([...clients, truth].map((each) => each.poll()))
        for (const { copy } of clients) expect(copy.item).toEqual(truth.copy.item)
      },
      { timeout: 20_000, interval: 500 },
    )
  const hour = 3_600_000
  await moveBeforeMidnight(id, hour)
  await write(`insert into app.policies (studio_id, name, effective_start) values ($1, 'Next', ${today} + 1)`)
  await clock.move(2 * hour)
  await write(`insert into app.items (studio_id, name, purchase_price) values ($1, 'Console', 100)`)
  await expectItems(plain)
  await clock.move(-2 * hour)
  for (const name of ['A', 'B', 'C']) await write(`update app.items set name = '${name}' where studio_id = $1`)
  await expectItems(plain, client)
  await write(`update app.items set name = 'D' where studio_id = $1`)
  const fresh = createSyncClient(way)
  await fresh.poll()
  expect(Date.parse(fresh.since() ?? '')).toBeLessThanOrEqual(clock.now())
  const hasNext = () => [...client.copy.policy.values()].some((text) => text.includes('"Next"'))
  expect(hasNext()).toBe(false)
  await clock.move(hour + 1_000)
  await vi.waitFor(
    async () => {
      const truth = createSyncClient(way)
      await Promise.all([client.poll(), truth.poll()])
      expect(client.copy).toEqual(truth.copy)
    },
    { timeout: 20_000, interval: 500 },
  )
  expect(hasNext()).toBe(true)
  await clock.move(hour)
})
