import { type LoadOptions, load, type Measured, percentile } from './load.ts'

/** One server in a contest, and what it is asked. */
export type Contestant = {
  name: string
  origin: string
  /** Makes the requests of one round. */
  round(number: number): LoadOptions['next']
  /** How many answers each of its turns has, however long that takes. */
  least?: number
}

export type Contest = {
  contestants: Contestant[]
  connections?: number
  before?(round: number): Promise<unknown>
  /** Whether these rounds are enough, once there are as many as the pace says; there are at most `maxRounds`. */
  enough?(results: Result[]): boolean
}

/** `deepPages`: how many of them the usual way answers in each turn, as it answers a few a second. */
export type Pace = { rounds: number; ms: number; warmUpMs: number; deepPages?: number; maxRounds?: number }

/** What one contestant reached: the medians of its rounds, and every round. */
export type Result = {
  name: string
  perSecond: number
  p50: number
  p99: number
  rounds: { perSecond: number; p50: number; p99: number }[]
}

/**
 * Lets servers answer in turns: in every round each gets the same time, in another order each round, so that whatever
 * else the machine does meets all of them.
 */
export async function runContest(contest: Contest, pace: Pace): Promise<Result[]> {
  const { contestants, connections = 16, before, enough = () => true } = contest
  const { ms, maxRounds = 6 * pace.rounds } = pace
  const rounds = new Map<string, Result['rounds']>(contestants.map(({ name }) => [name, []]))
  const resultsOf = () => contestants.map(({ name }) => result(name, rounds.get(name) ?? []))
  const goesOn = (round: number) => round < pace.rounds || (round < maxRounds && !enough(resultsOf()))
  for (let round = 0; goesOn(round); round++) {
    await before?.(round)
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(turn + round) % contestants.length] as Contestant
      const { origin, name, least = 0 } = contestant
      const next = contestant.round(round)
      // The first requests of a round find connections closed and plans unmade.
      await load({ origin, connections, next, ms: pace.warmUpMs })
      rounds.get(name)?.push(summary(await load({ origin, connections, next, ms, least })))
    }
  }
  return resultsOf()
}

function result(name: string, rounds: Result['rounds']): Result {
  return {
    name,
    perSecond: median(rounds.map((round) => round.perSecond)),
    p50: median(rounds.map((round) => round.p50)),
    p99: median(rounds.map((round) => round.p99)),
    rounds,
  }
}

function summary({ requests, seconds, latencies }: Measured): Result['rounds'][number] {
  return { perSecond: requests / seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) }
}

/** A ratio with its spread: the median, the smallest and the largest of the rounds, each with its own rival. */
export type Ratio = { median: number; least: number; most: number }

/** How many times as much one has as the other, round by round. */
export function ratioOf(
  one: Result | undefined,
  other: Result | undefined,
  of: 'perSecond' | 'p50' = 'perSecond',
): Ratio | undefined {
  if (one === undefined || other === undefined) return undefined
  return spread(ratiosOf(one, other, of))
}

export function ratiosOf(one: Result, other: Result, of: 'perSecond' | 'p50' = 'perSecond'): number[] {
  return one.rounds.map((round, n) => round[of] / (other.rounds[n]?.[of] ?? Number.NaN))
}

export function spread(ratios: number[]): Ratio {
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
}

/** How far the mean of the rounds may be from that of endlessly many, either way: two standard errors. */
export function uncertaintyOf(ratios: number[]): number {
  const mean = ratios.reduce((sum, ratio) => sum + ratio, 0) / ratios.length
  const variance = ratios.reduce((sum, ratio) => sum + (ratio - mean) ** 2, 0) / (ratios.length - 1)
  return 2 * Math.sqrt(variance / ratios.length)
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
