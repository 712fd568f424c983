import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, vi } from 'vitest'
import { startHeartbeats } from '../support/heartbeat.ts'
import type { ServiceOptions, TestService } from '../support/service.ts'
import type { World } from '../support/world.ts'
import { type Copy, createPlainPoller, createSyncClient, lists, type Resource, type SyncClient } from './client.ts'
import { type Clock, installClock } from './clock.ts'
import { type Random, randomFrom } from './random.ts'
import { millisecondsToMidnight, type Watch, watchStudio } from './studio.ts'
import { type Written, writeAtRandom } from './writers.ts'

/** Counts the records that a client has wrong: with another text, too many, or missing. */
type Differences = { stale: number; extra: number; missing: number }

/** What the rounds have found together. */
type Findings = {
  seed: number
  /** What the clients asked. */
  services: TestService[]
  written: Written
  clients: Record<string, Differences & SyncClient['counts']>
  /** Some of the records that clients hold wrongly, with what the database has of them. */
  samples: object[]
  /** Records that clients were told to remove although they existed. */
  wrongRemovals: string[]
}

type Course = {
  rounds: number
  /** How long a round is written, in milliseconds. */
  roundMs: number
  /** How the services of the clients go to the database. */
  services: ServiceOptions[]
  /** The heartbeats' way to the database, without prepared statements. */
  reach?: (url: string) => string
}

/** Has clients poll a studio while others write to it, and compares each copy when all is quiet. */
async function course(world: World, { rounds, roundMs, ...ways }: Course): Promise<Findings> {
  const seed = Number(process.env.TEST_SYNC_SEED ?? Math.floor(Math.random() * 2 ** 32))
  const random = randomFrom(seed)
  const clock = await installedClock(world)
  const services = await Promise.all(
    (ways.services ?? [{}, { cacheMaxBytes: 0 }]).map((options) => world.start(options)),
  )
  await beat(world, ways.reach)
  const { id: studioId, token } = await world.newStudio({ timezone: 'Europe/Lisbon' })
  for (const statement of beginnings) await world.write(({ query }) => query(statement, [studioId]), studioId)

  return watchStudio(world.database, studioId, async (watch) => {
    const common = (perPage: number) => ({
      token,
      perPage,
      baseUrl: () => `${random.one(services).url}/v1`,
      pause: () => sleep(random.whole(0, 60)),
    })
    const clients: Record<string, SyncClient> = {}
    for (const perPage of [100, 20, 7]) {
      clients[`documented, ${perPage} a page`] = createSyncClient({ ...common(perPage), witness: watch.witness })
    }
    clients.plain = createPlainPoller(common(100))
    const findings: Findings = { seed, services, written: {}, clients: {}, samples: [], wrongRemovals: watch.wrong }

    for (let round = 0; round < rounds; round += 1) {
      const end = performance.now() + roundMs
      const going = () => performance.now() < end
      const writing = writeAtRandom({ database: world.database, studioId, clock, random, going })
      const polling = Object.values(clients).map((client) => pollAtRandom(client, random, writing))
      for (const [what, count] of Object.entries(await writing)) {
        findings.written[what] = (findings.written[what] ?? 0) + count
      }
      await Promise.all(polling)
      await waitWithoutWrites(watch, clock, () => millisecondsToMidnight(world.database, studioId))
      await Promise.all(Object.values(clients).map((client) => client.poll()))

      const truth = createSyncClient({ ...common(100), pause: async () => undefined })
      await truth.poll()
      expect(recordsOf(truth.copy)).toEqual((await watch.living()).toSorted())
      for (const [name, client] of Object.entries(clients)) {
        const wrong = differences(name === 'plain', truth.copy, client.copy)
        addUp(findings, name, client, wrong)
        for (const { how, resource, id } of wrong.slice(0, 5)) {
          findings.samples.push({ client: name, since: client.since(), how, ...(await watch.about(resource, id)) })
        }
      }
    }
    return findings
  })
}

/** Waits until nothing changes any more, by the calendar either, while the test compares copies. */
async function waitWithoutWrites(watch: Watch, clock: Clock, toMidnight: () => Promise<number>): Promise<void> {
  const left = await toMidnight()
  if (left < 120_000) await clock.move(left + 1_000)
  await watch.settled(new Date(clock.latest()))
}

/** What the studio has when the course begins, so that walks have pages. */
const beginnings = [
  `insert into app.locations (studio_id, name) select $1, 'Room ' || n from generate_series(1, 15) as n`,
  `insert into app.items (studio_id, name, purchase_price, acquisition_date, depreciation_method)
   select $1, 'Item ' || n, 100 * n, '2025-01-31', 'straight_line' from generate_series(1, 120) as n`,
  `insert into app.maintenance_records (studio_id, item_id, title)
   select studio_id, id, 'Check' from app.items where studio_id = $1 limit 40`,
  `insert into app.policies (studio_id, name, effective_start, effective_end)
   select $1, 'Policy ' || n, '2026-01-01', now()::date + n % 5 + 1 from generate_series(1, 25) as n`,
]

/** A database has one clock for all courses on it. */
const clocks = new WeakMap<World, Promise<Clock>>()
function installedClock(world: World): Promise<Clock> {
  const clock = clocks.get(world) ?? installClock(world.database)
  clocks.set(world, clock)
  return clock
}

/** Of two processes, until the test ends; removals are known from then on. */
async function beat(world: World, reach?: (url: string) => string): Promise<void> {
  for (let process = 0; process < 2; process += 1) onTestFinished(await startHeartbeats(world.database, reach))
  const known = 'select access.watermark() > access.removals_since() as known'
  await vi.waitUntil(async () => (await world.owner<{ known: boolean }>(known))[0]?.known, { timeout: 30_000 })
}

/** Polls now and then until the writers have ended. */
async function pollAtRandom(client: SyncClient, random: Random, writing: Promise<unknown>): Promise<void> {
  let over = false
  const ended = writing.finally(() => {
    over = true
  })
  ended.catch(() => undefined)
  while (!over) {
    await client.poll()
    await Promise.race([sleep(random.whole(0, 700)), ended])
  }
}

const recordsOf = (copy: Copy): string[] =>
  lists.flatMap(([resource]) => [...copy[resource].keys()].map((id) => `${resource} ${id}`)).toSorted()

type Difference = { how: keyof Differences; resource: Resource; id: string }

/** Of a plain poller only items and valuations count, and none is too many. */
function differences(plain: boolean, truth: Copy, copy: Copy): Difference[] {
  const found: Difference[] = []
  for (const [resource] of lists) {
    if (plain && resource !== 'item' && resource !== 'valuation') continue
    for (const [id, text] of truth[resource]) {
      const held = copy[resource].get(id)
      if (held !== text) found.push({ how: held === undefined ? 'missing' : 'stale', resource, id })
    }
    for (const id of plain ? [] : copy[resource].keys()) {
      if (!truth[resource].has(id)) found.push({ how: 'extra', resource, id })
    }
  }
  return found
}

function addUp(findings: Findings, name: string, { counts }: SyncClient, wrong: Difference[]): void {
  const sum = { stale: 0, extra: 0, missing: 0, ...findings.clients[name], ...counts }
  for (const { how } of wrong) sum[how] += 1
  findings.clients[name] = sum
}

const exact: Differences = { stale: 0, extra: 0, missing: 0 }

/** Prints what the run did and found, for its log. */
function report(name: string, { seed, written, clients, samples, wrongRemovals }: Findings): void {
  console.log(`${name}: TEST_SYNC_SEED=${seed}, written: ${JSON.stringify(written)}`)
  console.table(clients)
  for (const sample of samples) console.log(JSON.stringify(sample))
  if (wrongRemovals.length > 0) console.log(`removed though they lived: ${wrongRemovals.slice(0, 10).join(', ')}`)
}

/** For how many seconds is written. */
const seconds = Number(process.env.TEST_SYNC_SECONDS ?? 8)

/** Time for writing, and for quiet after every ten seconds or so. */
export const timeoutMs = (seconds * 5 + 120) * 1_000

/** Fails unless clients of these services hold exactly the data; gives the services. */
export async function expectExact(name: string, world: World, way: Pick<Course, 'services' | 'reach'>) {
  const rounds = Math.ceil(seconds / 10)
  const findings = await course(world, { rounds, roundMs: (seconds * 1_000) / rounds, ...way })
  report(name, findings)
  expect(findings.wrongRemovals).toEqual([])
  for (const [client, found] of Object.entries(findings.clients)) {
    expect(found, client).toMatchObject(exact)
    // A client that gets no moment to ask from reads everything each time, and is exact as well.
    expect(found.fullReadings, client).toBe(client === 'plain' ? 0 : 1)
  }
  return findings.services
}
