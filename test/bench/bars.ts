import { type Ratio, ratioOf } from './contest.ts'
import type { Memory } from './life.ts'
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
  coldStartSeconds: number
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

/** `[row, rival, how many times as many requests a second]`. */
const timesAsMany: [key: string, rival: string, atLeast: number][] = [
  ['page1', 'usual', 12],
  ['page1', 'Platformatic DB', 12],
  ['different', 'usual', 3],
  ['item', 'usual', 6],
  ['item', 'Platformatic DB', 1.4],
  ['poll', 'usual', 12],
  ['random', 'usual', 12],
  ['walked', 'usual', 40],
]

/** The bars, in the order in which they were set. A peer that did not run has none. */
export function verdicts(found: Measurements): Verdict[] {
  const named = (row: Row | undefined, name: string) => row?.results.find((result) => result.name === name)
  const reads = timesAsMany.flatMap(([key, rival, atLeast]) => {
    const row = found.rows.find((candidate) => candidate.key === key)
    const what = `${row?.title}: service / ${rival}`
    return check({ what, atLeast, unit: '×' }, ratioOf(named(row, 'service'), named(row, rival)))
  })
  const flat = found.flat.flatMap((row) => {
    const ratio = ratioOf(named(row, '200,000 items'), named(row, '100 items'), 'p50')
    return check({ what: `p50 of a studio of 200,000 / of 100: ${row.title}`, atMost: 1.3, unit: '×' }, ratio)
  })
  const guards = found.guards.flatMap((row) => {
    const ratio = ratioOf(named(row, 'on'), named(row, 'off'))
    const lost = ratio && { median: 1 - ratio.median, least: 1 - ratio.most, most: 1 - ratio.least }
    const percent = lost && { median: lost.median * 100, least: lost.least * 100, most: lost.most * 100 }
    return check({ what: `limits, activity and log on: fewer of ${row.title}`, atMost: 15, unit: '%' }, percent)
  })
  const { memory, updates } = found
  const thousands = memory.requests / 1000
  return [
    ...reads,
    ...flat,
    ...guards,
    ...check({ what: `memory after ${thousands} thousand mixed requests`, atMost: 250, unit: 'MB' }, memory.end),
    ...check(
      { what: 'its growth over the second half of them', atMost: 10, unit: '%' },
      (memory.end / memory.halfway - 1) * 100,
    ),
    ...updates.flatMap(({ title, ratio }) =>
      check({ what: `update of ${title}: with triggers / bare`, atMost: 3, unit: '×' }, ratio),
    ),
    ...check(
      { what: 'npm start on an empty folder to the first answer', atMost: 10, unit: 's' },
      found.coldStartSeconds,
    ),
  ]
}
