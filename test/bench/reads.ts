import { deepStrictEqual } from 'node:assert'
import { withStudioWriter } from '../../src/importer/staging.ts'
import type { Bar } from './bar.ts'
import type { Dataset, Scratch, Studio } from './data.ts'
import { type Ask, answerTo, type Contestant, contest, load, type Next, type Pace, type Round, ratios } from './load.ts'
import { createPicker, differentPages, item, list, pageOne, pickOne, poll, shuffler } from './questions.ts'
import { type Fleet, startService } from './servers.ts'

/** Everything that requests are measured with. */
export type Stage = { scratch: Scratch; fleet: Fleet; dataset: Dataset; pace: Pace }

const perSecond = (rounds: Round[] = []) => rounds.map((round) => round.perSecond)

/** The service and others with the same requests: `atLeast` is the ratio that each bar requires. */
async function beside(
  { fleet, pace }: Stage,
  what: string,
  from: () => Next,
  atLeast: { S?: number; usual?: number },
  { before, least = 0 }: { before?(): Promise<unknown>; least?: number } = {},
): Promise<Bar[]> {
  const others: (Contestant & { bar: number })[] = []
  if (atLeast.S) others.push({ name: 'S', origin: fleet.stored.origin, from, bar: atLeast.S })
  if (atLeast.usual) others.push({ name: 'the usual way', origin: fleet.usual.origin, from, least, bar: atLeast.usual })
  const service = { name: 'service', origin: fleet.service.origin, from }
  const rounds = await contest([service, ...others], pace, before && { before })
  return others.map(({ name, bar }) => ({
    what: `${what}: service / ${name}`,
    values: ratios(perSecond(rounds.get('service')), perSecond(rounds.get(name))),
    ...{ unit: '×' as const, atLeast: bar },
  }))
}

/** The rows for requests that are repeated, and for requests that the cache does not have. */
export async function* reads(stage: Stage): AsyncGenerator<Bar[]> {
  const { usual, large } = stage.dataset
  const [first, second, third] = usual as [Studio, Studio, Studio]
  const pages = usual.map(pageOne)
  const newest = JSON.parse(await answerTo(stage.fleet.service.origin, list(third, { per_page: 1 }))).data[0].updated_at
  const polls = Array.from({ length: 50 }, (_, n) => poll(third, new Date(Date.parse(newest) + n + 1).toISOString()))
  const ids = second.items.slice(0, 1_000)
  await expectSame(stage, list(first, { page: 7, per_page: 33, category: 'Guitars & Basses' }))
  const deep = { before: () => writeEverywhere(stage), least: stage.pace.deepPages }
  const pick = shuffler()
  yield await beside(stage, 'list page 1, one token', () => () => pageOne(first), { S: 0.8, usual: 12 })
  yield await beside(stage, 'list page 1, 20 tokens', () => createPicker(pages), { S: 0.72 })
  yield await beside(stage, 'item detail', () => () => item(second, pickOne(ids, pick)), { S: 0.6 })
  yield await beside(stage, 'a poll with nothing new', () => createPicker(polls), { S: 0.65 })
  yield await beside(stage, 'list, every query different', () => differentPages(usual), { usual: 1.7 }, deep)
  yield await beside(stage, 'page 500 to 1500 of 200,000, random', () => randomPages(large), { usual: 35 }, deep)
  yield await beside(stage, 'page 500 to 1500 of 200,000, walked', () => walkers(large), { usual: 160 }, deep)
}

/** The usual way must return the service's items. Otherwise the comparison would be worth
 * nothing. */
async function expectSame({ fleet }: Stage, ask: Ask): Promise<void> {
  const answers = await Promise.all([fleet.service, fleet.usual].map(({ origin }) => answerTo(origin, ask)))
  const [one, other] = answers.map((answer) => JSON.parse(answer).data)
  deepStrictEqual(other, one, `two servers answer ${ask.path} differently`)
}

function randomPages(studio: Studio): Next {
  const pick = shuffler()
  return () => list(studio, { page: 500 + pick(1_000), per_page: 41 + pick(10) })
}

/** Each connection walks its own pages in order, each lap with another size: by `Link`, else by
 * number. */
function walkers(studio: Studio): Next {
  const steps: number[] = []
  return (connection, head) => {
    const step = steps[connection] ?? 0
    steps[connection] = step + 1
    const link = step % 200 > 0 && /<([^>]*)>; rel="next"/.exec(head)?.[1]
    if (link) return { ...list(studio), path: link.slice(link.indexOf('/v1/')) }
    return list(studio, { page: 500 + connection * 60 + (step % 200), per_page: 50 - (Math.floor(step / 200) % 10) })
  }
}

/** Changes the newest item of each studio: keeps every order, and invalidates every cached
 * response. */
async function writeEverywhere({ scratch, dataset: { usual, large } }: Stage): Promise<void> {
  for (const { id, items } of [...usual, large]) {
    const text = `update app.items set name = 'Item ' || clock_timestamp() where studio_id = $1 and id = $2`
    await withStudioWriter(scratch.writerUrl, id, (transaction) => transaction.query(text, [id, items[0]]))
  }
}

/** What the size of a studio costs without the cache: one connection, as many items answered. */
export async function flatness({ scratch, dataset: { small, large }, pace }: Stage): Promise<Bar[]> {
  const { origin, stop } = await startService(scratch, { CACHE_MAX_BYTES: '0' })
  const soon = new Date(Date.now() + 1).toISOString()
  const shapes: [title: string, ask: (studio: Studio, perPage: number) => Ask][] = [
    ['page 1', (studio, per_page) => list(studio, { per_page })],
    ['a category', (studio, per_page) => list(studio, { per_page, category: 'Microphones' })],
    ['a coverage state', (studio, per_page) => list(studio, { per_page, coverage_state: 'under_covered' })],
    ['a poll', (studio) => poll(studio, soon)],
  ]
  const bars: Bar[] = []
  for (const [title, ask] of shapes) {
    const perPage = Math.max(1, JSON.parse(await answerTo(origin, ask(small, 50))).data.length)
    const asked = (studio: Studio): Contestant => {
      const question = ask(studio, perPage)
      return { name: studio.id, origin, from: () => () => question }
    }
    const [of100, of200000] = [asked(small), asked(large)]
    const rounds = await contest([of100, of200000], { ...pace, ms: pace.ms / 4 }, { connections: 1 })
    const p50 = ({ name }: Contestant) => (rounds.get(name) ?? []).map((round) => round.p50)
    const values = ratios(p50(of200000), p50(of100))
    bars.push({ what: `200,000 items / 100: ${title}`, values, unit: '×', atMost: 1.2 })
  }
  await stop()
  return bars
}

/** The cost of limits, activity, log and metrics: several processes of each kind, in turns. */
export async function guards({ scratch, dataset, pace }: Stage, processes: number): Promise<Bar[]> {
  const studio = dataset.usual[3] as Studio
  const pick = shuffler()
  const kinds: [string, () => Ask][] = [
    ['lists', () => pageOne(studio)],
    ['items', () => item(studio, pickOne(studio.items, pick))],
  ]
  const lost: Record<string, number[]> = {}
  for (let process = 0; process < processes; process++) {
    const [on, off] = [await startService(scratch), await startService(scratch, {}, true)]
    for (const [kind, ask] of kinds) {
      const both = Object.entries({ on, off }).map(([name, { origin }]) => ({ name, origin, from: () => ask }))
      for (const { origin } of both) await load({ origin, next: ask, ms: pace.ms })
      const rounds = await contest(both, pace)
      const kept = ratios(perSecond(rounds.get('on')), perSecond(rounds.get('off')))
      lost[kind] = [...(lost[kind] ?? []), ...kept.map((ratio) => 100 * (1 - ratio))]
    }
    await on.stop()
    await off.stop()
  }
  return Object.entries(lost).map(([kind, values]) => ({
    what: `limits, activity, log and metrics: fewer ${kind}`,
    ...{ values, unit: '%' as const, atMost: 15 },
  }))
}
