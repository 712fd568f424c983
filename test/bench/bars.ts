import type { Sums } from './analysts.ts'
import { type Ratio, ratioOf, ratiosOf, uncertaintyOf } from './contest.ts'
import type { ColdStart, Memory } from './life.ts'
import type { Row } from './rows.ts'
import type { UpdateCost } from './writes.ts'

/** Everything that was measured; what was left out is missing. */
export type Measurements = {
  rows: Row[]
  flat: Row[]
  guards: Row[]
  memory: Memory
  updates: UpdateCost[]
  twoWriters: { alone: number; both: number }
  import: { rows: number; seconds: number }
  sums: Sums
  coldStart: ColdStart
}

/** A bar: what was reached, what has to be, and whether it was. */
export type Verdict = {
  what: string
  measured: number
  /** The smallest and the largest of the rounds. */
  spread: [number, number] | null
  atLeast?: number
  atMost?: number
  unit: '×' | '%' | 'MB' | 's'
  met: boolean
}

type Bar = { what: string; unit: Verdict['unit'] } & ({ atLeast: number } | { atMost: number })

function check(bar: Bar, ratio: Ratio | number | undefined): Verdict[] {
  if (ratio === undefined) return []
  const measured = typeof ratio === 'number' ? ratio : ratio.median
  const spread: Verdict['spread'] = typeof ratio === 'number' ? null : [ratio.least, ratio.most]
  const met = 'atLeast' in bar ? measured >= bar.atLeast : measured <= bar.atMost
  return [{ ...bar, measured, spread, met }]
}

/** What a server reaches here that sends PostgreSQL one statement for each request, and reads nothing: the measure on any machine. */
const S = 'select 1 and it'

/** `[row, rival, how many times as many requests a second]`. */
const timesAsMany: [key: string, rival: string, atLeast: number][] = [
  ['page1', S, 0.9],
  ['page1', 'usual', 12],
  ['page1', 'Platformatic DB', 10],
  ['page1 of 20', S, 0.75],
  ['different', 'usual', 5],
  ['item', S, 0.5],
  ['item', 'Platformatic DB', 1.4],
  ['poll', S, 0.8],
  ['random', 'usual', 30],
  ['walked', 'usual', 150],
]

/** The bars, in the order in which they were set. A peer that did not run has none. */
export function verdicts(found: Measurements): Verdict[] {
  const named = (row: Row | undefined, name: string) => row?.results.find((result) => result.name === name)
  const reads = timesAsMany.flatMap(([key, rival, atLeast]) => {
    const row = found.rows.find((candidate) => candidate.key === key)
    const what = `${key.endsWith('of 20') ? `${key} tokens` : row?.title}: service / ${rival}`
    return check({ what, atLeast, unit: '×' }, ratioOf(named(row, 'service'), named(row, rival)))
  })
  const flat = found.flat.flatMap((row) => {
    const ratio = ratioOf(named(row, '200,000 items'), named(row, '100 items'), 'p50')
    return check({ what: `p50 of a studio of 200,000 / of 100: ${row.title}`, atMost: 1.15, unit: '×' }, ratio)
  })
  const guards = found.guards.flatMap((row) => {
    const [on, off] = [named(row, 'on'), named(row, 'off')]
    if (on === undefined || off === undefined) return []
    const ratios = ratiosOf(on, off)
    const lost = 100 * (1 - ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length)
    const either = 100 * uncertaintyOf(ratios)
    // Met when the bar is beyond what chance could explain.
    return [
      {
        ...{ what: `limits, activity and log on: fewer of ${row.title}`, unit: '%' as const, atMost: 10 },
        ...{ measured: lost, spread: [lost - either, lost + either] as [number, number], met: lost + either <= 10 },
      },
    ]
  })
  const { memory, updates, sums, coldStart } = found
  const thousands = memory.requests / 1000
  return [
    ...reads,
    ...flat,
    ...guards,
    ...check({ what: 'memory of npm start, idle after its first start', atMost: 200, unit: 'MB' }, coldStart.megabytes),
    ...check({ what: `memory after ${thousands} thousand mixed requests`, atMost: 250, unit: 'MB' }, memory.end),
    ...check(
      { what: 'its growth over the second half of them', atMost: 10, unit: '%' },
      (memory.end / memory.halfway - 1) * 100,
    ),
    ...updates.flatMap(({ title, ratio }) =>
      check({ what: `update of ${title}: with triggers / bare`, atMost: 3, unit: '×' }, ratio),
    ),
    ...check({ what: "an analyst's sum / the superuser's on the tables", atMost: 1.3, unit: '×' }, sums.toTables),
    ...check({ what: 'the same in GraphQL / in SQL', atMost: 1.2, unit: '×' }, sums.toSql),
    ...check({ what: 'npm start on an empty folder to the first answer', atMost: 5, unit: 's' }, coldStart.seconds),
  ]
}
