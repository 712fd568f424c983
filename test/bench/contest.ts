import { type LoadOptions, load, type Measured, percentile } from './load.ts'

/** One server in a contest, and what it is asked. */
export type Contestant = {
  name: string
  origin: string
  /** Makes the requests of one round. */
  round(number: number): LoadOptions['next']
}

export type Contest = { contestants: Contestant[]; connections?: number; before?(round: number): Promise<unknown> }

export type Pace = { rounds: number; ms: number; warmUpMs: number }

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
  const { contestants, connections = 16, before } = contest
  const rounds = new Map<string, Result['rounds']>(contestants.map(({ name }) => [name, []]))
  for (let round = 0; round < pace.rounds; round++) {
    await before?.(round)
    for (let turn = 0; turn < contestants.length; turn++) {
      const contestant = contestants[(turn + round) % contestants.length] as Contestant
      const { origin, name } = contestant
      const next = contestant.round(round)
      // The first requests of a round find connections closed and plans unmade.
      await load({ origin, connections, next, ms: pace.warmUpMs })
      rounds.get(name)?.push(summary(await load({ origin, connections, next, ms: pace.ms })))
    }
  }
  return contestants.map(({ name }) => {
    const own = rounds.get(name) ?? []
    return {
      name,
      perSecond: median(own.map((round) => round.perSecond)),
      p50: median(own.map((round) => round.p50)),
      p99: median(own.map((round) => round.p99)),
      rounds: own,
    }
  })
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
  return spread(one.rounds.map((round, n) => round[of] / (other.rounds[n]?.[of] ?? Number.NaN)))
}

export function spread(ratios: number[]): Ratio {
  return { median: median(ratios), least: Math.min(...ratios), most: Math.max(...ratios) }
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
