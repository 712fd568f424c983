import {
  type Contest,
  type Contestant,
  type Pace,
  type Result,
  ratiosOf,
  runContest,
  uncertaintyOf,
} from './contest.ts'
import type { Dataset, Studio } from './dataset.ts'
import type { Fleet } from './fleet.ts'
import { requestOnce } from './load.ts'
import type { Peer } from './peers.ts'
import type { Running } from './processes.ts'
import { differentPages, type Question, restWording, shuffled, shuffler, taker, type Wording } from './questions.ts'

/** A row of the table: one kind of request, put to several servers in turns. */
export type Row = { key: string; title: string; results: Result[] }

/** Everything a row is measured with. `write` changes an item of every studio, so that no earlier answer is current. */
export type Stage = { fleet: Fleet; peers: Peer[]; dataset: Dataset; write(): Promise<unknown>; pace: Pace }

type Asking = (round: number) => (connection: number) => Question

/** Lets every server answer the same kind of question. */
async function row(
  stage: Stage,
  key: string,
  title: string,
  asking: Asking,
  contest: Partial<Contest> & { isDeep?: boolean } = {},
) {
  const { fleet, peers, pace } = stage
  const own = (name: string, { origin }: Running): Contestant => ({ name, origin, round: asks(restWording, asking) })
  const results = await runContest(
    {
      contestants: [
        own('service', fleet.service),
        { ...own('usual', fleet.usual), least: contest.isDeep ? (pace.deepPages ?? 0) : 0 },
        ...peers
          .filter((peer) => !peer.cannot.includes(key))
          .map(({ name, origin, wording }) => ({ name, origin, round: asks(wording, asking) })),
        ...(contest.contestants ?? []),
      ],
      ...(contest.before && { before: contest.before }),
    },
    pace,
  )
  return { key, title, results }
}

function asks(wording: Wording, asking: Asking): Contestant['round'] {
  return (round) => {
    const next = asking(round)
    return (connection) => wording(next(connection))
  }
}

/** One studio after the other. */
function eachStudio({ usual }: Dataset, asking: (studio: Studio) => Question): () => Question {
  const studios = taker(usual)
  return () => asking(studios())
}

/** The rows of requests, in the order of the table. */
export const rows: ((stage: Stage) => Promise<Row>)[] = [
  async (stage) => {
    const studio = stage.dataset.usual[0] as Studio
    const ask = restWording({ studio, first: studio.items[0] as string })
    const { uncached } = stage.fleet
    return row(stage, 'page1', 'list page 1, repeated', () => () => ({ studio, first: studio.items[0] as string }), {
      contestants: [
        { name: 'service, no cache', origin: uncached.origin, round: () => () => ask },
        ...(await storedBodies(stage.fleet, 'list')),
      ],
    })
  },
  async (stage) => {
    const next = eachStudio(stage.dataset, (studio) => ({ studio, first: studio.items[0] as string }))
    return row(stage, 'page1 of 20', 'the same, 20 tokens of 20 studios', () => next, {
      contestants: await storedBodies(stage.fleet, 'list'),
    })
  },
  (stage) => {
    const asking = () => differentPages(stage.dataset.usual)
    return row(stage, 'different', 'list page 1, every query different', asking, {
      before: stage.write,
      contestants: [{ name: 'bare statement', origin: stage.fleet.bare.origin, round: asks(withoutExam, asking) }],
    })
  },
  async (stage) => {
    const studio = stage.dataset.usual[1] as Studio
    const pick = shuffler()
    const asking = () => () => ({ studio, item: studio.items[pick(studio.items.length)] as string })
    const { uncached } = stage.fleet
    return row(stage, 'item', 'item detail', asking, {
      contestants: [
        { name: 'service, no cache', origin: uncached.origin, round: asks(restWording, asking) },
        ...(await storedBodies(stage.fleet, 'item')),
      ],
    })
  },
  async (stage) => {
    const pick = shuffler(3)
    const next = eachStudio(stage.dataset, (studio) => ({
      studio,
      item: studio.items[pick(studio.items.length)] as string,
    }))
    return row(stage, 'item of 20', 'the same, 20 tokens of 20 studios', () => next, {
      contestants: await storedBodies(stage.fleet, 'item'),
    })
  },
  async (stage) => {
    const studio = stage.dataset.usual[2] as Studio
    const newest = await newestIn(stage.fleet, studio)
    let polls = 0
    const asking = () => () => {
      polls += 1
      return { studio, updatedSince: new Date(newest + polls).toISOString(), empty: true }
    }
    const contestants = await storedBodies(stage.fleet, 'poll')
    return row(stage, 'poll', 'a poll with nothing new', asking, { contestants })
  },
  async (stage) => {
    const newest = Math.max(...(await Promise.all(stage.dataset.usual.map((studio) => newestIn(stage.fleet, studio)))))
    let polls = 0
    const next = eachStudio(stage.dataset, (studio) => {
      polls += 1
      return { studio, updatedSince: new Date(newest + polls).toISOString(), empty: true }
    })
    return row(stage, 'poll of 20', 'the same, 20 tokens of 20 studios', () => next, {
      contestants: await storedBodies(stage.fleet, 'poll'),
    })
  },
  (stage) => {
    const studio = stage.dataset.large
    const pages = Array.from({ length: 10_000 }, (_, n) => ({
      studio,
      page: 500 + (n % 1000),
      perPage: 41 + Math.floor(n / 1000),
    }))
    return row(stage, 'random', 'page 500 to 1500 of 200,000, random', () => taker(shuffled(pages)), {
      before: stage.write,
      isDeep: true,
    })
  },
  (stage) => {
    const studio = stage.dataset.large
    return row(stage, 'walked', 'page 500 to 1500 of 200,000, in order', () => walkers(studio), {
      before: stage.write,
      isDeep: true,
    })
  },
]

/** For a server that answers the data without anything around them. */
const withoutExam: Wording = (question) => {
  const { examine: _, ...ask } = restWording(question)
  return ask
}

/** What answers the same bytes out of memory: at once, and after asking PostgreSQL for nothing, a statement for each request. */
async function storedBodies({ stored: { origin } }: Fleet, name: 'list' | 'item' | 'poll'): Promise<Contestant[]> {
  const contestant = async (title: string, path: string): Promise<Contestant> => {
    const ask = { path, headers: {}, contains: '{"data":' }
    const bytes = Buffer.byteLength(JSON.stringify(await requestOnce(origin, ask)))
    return { name: title, origin, round: () => () => ({ ...ask, bytes }) }
  }
  return Promise.all([contestant('stored body', `/stored/${name}`), contestant('select 1 and it', `/asked/${name}`)])
}

/** When a studio's items last changed, in milliseconds since 1970. */
async function newestIn({ service }: Fleet, studio: Studio): Promise<number> {
  const { data } = (await requestOnce(service.origin, restWording({ studio, perPage: 1 }))) as {
    data: { updated_at: string }[]
  }
  return Date.parse(String(data[0]?.updated_at))
}

/** Each connection walks its own pages in order, a lap with a page size of its own. */
function walkers(studio: Studio): (connection: number) => Question {
  const steps = new Map<number, number>()
  return (connection) => {
    const step = steps.get(connection) ?? 0
    steps.set(connection, step + 1)
    const lap = Math.floor(step / 200)
    return { studio, page: 500 + connection * 60 + (step % 200), perPage: 50 - (lap % 10) }
  }
}

/** What the size of a studio costs: one connection, the same number of items answered, a studio of 100 and one of 200,000. */
export async function flatness({ fleet, dataset, pace }: Stage): Promise<Row[]> {
  const { small, large } = dataset
  const shapes: [title: string, filter: Partial<Question>][] = [
    ['page 1', {}],
    ['a category', { category: 'Microphones' }],
    ['a coverage state', { coverageState: 'under_covered' }],
    ['both', { category: 'Microphones', coverageState: 'under_covered' }],
    ['a poll', { updatedSince: new Date(Date.now() + 1).toISOString(), empty: true }],
  ]
  const flat: Row[] = []
  for (const [title, filter] of shapes) {
    const found = await requestOnce(fleet.uncached.origin, restWording({ studio: small, ...filter }))
    const perPage = Math.max(1, (found as { data: unknown[] }).data.length)
    const contestant = (name: string, studio: Studio): Contestant => {
      const ask = restWording({ studio, perPage, ...filter })
      return { name, origin: fleet.uncached.origin, round: () => () => ask }
    }
    const contestants = [contestant('200,000 items', large), contestant('100 items', small)]
    flat.push({ key: 'flat', title, results: await runContest({ contestants, connections: 1 }, pace) })
  }
  return flat
}

/** What being limited, recorded and logged costs. In as many rounds as it takes to know it to two percent, within limits. */
export async function guards({ fleet, dataset, pace }: Stage): Promise<Row[]> {
  const studio = dataset.usual[3] as Studio
  const pick = shuffler()
  const list = restWording({ studio, first: studio.items[0] as string })
  const item = () => restWording({ studio, item: studio.items[pick(studio.items.length)] as string })
  const found: Row[] = []
  for (const [title, next] of [['list page 1', () => list] as const, ['item detail', item] as const]) {
    const contestants = [
      { name: 'on', origin: fleet.service.origin, round: () => next },
      { name: 'off', origin: fleet.unguarded.origin, round: () => next },
    ]
    const enough = ([on, off]: Result[]) =>
      on !== undefined && off !== undefined && uncertaintyOf(ratiosOf(on, off)) < 0.02
    found.push({ key: 'guards', title, results: await runContest({ contestants, enough }, pace) })
  }
  return found
}
