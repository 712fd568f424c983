import { createLimiter } from '../../src/auth/limiter.ts'
import { makeLogger } from '../../src/observability/log.ts'

/** What a test asks of the process: count requests of a token, or guesses of an address. */
export type Order = { id: number } & ({ admit: string; times: number } | { guess: string; times: number })
export type Result = { id: number; refused: number; retryAfterSeconds: number; remaining: number[] }

/** A process that has nothing of the service but its limiter. Arguments: the Redis URL, requests per second and per minute. */
const [redisUrl = '', perSecond, perMinute] = process.argv.slice(2)
const quota = { perSecond: Number(perSecond), perMinute: Number(perMinute) }
const limiter = await createLimiter(
  { redisUrl, rateLimits: { pro: quota, studio: quota, failedPerMinute: 5 } },
  makeLogger({ level: 'silent' }),
)

process.on('message', async (order: Order) => {
  process.send?.({ id: order.id, ...(await carryOut(order)) } satisfies Result)
})
process.send?.('ready')

async function carryOut(order: Order): Promise<Omit<Result, 'id'>> {
  if ('guess' in order) {
    const guesses = await Promise.all(
      Array.from({ length: order.times }, () => limiter.guess(order.guess, async () => false)),
    )
    const waits = guesses.map(({ retryAfterSeconds }) => retryAfterSeconds)
    return { refused: waits.filter((wait) => wait > 0).length, retryAfterSeconds: Math.max(...waits), remaining: [] }
  }
  const verdicts = await Promise.all(Array.from({ length: order.times }, () => limiter.admit(order.admit)))
  const last = verdicts.at(-1)
  return {
    refused: verdicts.filter(({ retryAfterSeconds }) => retryAfterSeconds > 0).length,
    retryAfterSeconds: Math.max(...verdicts.map(({ retryAfterSeconds }) => retryAfterSeconds)),
    remaining: last?.allowances.map(({ remaining }) => remaining) ?? [],
  }
}
