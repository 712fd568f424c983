import { connectSharedStore, sharedCounter } from '../../src/auth/counters.ts'
import { createLimiter, limiterWith } from '../../src/auth/limiter.ts'
import { makeLogger } from '../../src/log.ts'

/** What a test asks of the process: count requests of a token, or guesses of an address. */
export type Order = { id: number } & ({ admit: string; times: number } | { guess: string; times: number })
export type Result = { id: number; refused: number; retryAfterSeconds: number; remaining: number[] }

/** The limiter alone. Arguments: Redis URL, requests per second, per minute, a second's length. */
const [redisUrl = '', perSecond, perMinute, secondLasts] = process.argv.slice(2)
const quota = { perSecond: Number(perSecond), perMinute: Number(perMinute) }
const rateLimits = { pro: quota, studio: quota, failedPerMinute: 5 }
const log = makeLogger({ level: 'silent' })
const limiter =
  secondLasts === undefined ? await createLimiter({ redisUrl, rateLimits }, log) : await slowed(Number(secondLasts))

/** The same limiter, except for the length of its shortest window. */
async function slowed(seconds: number) {
  const store = await connectSharedStore(redisUrl)
  return limiterWith(rateLimits, (name, usual) => sharedCounter(store, name, name === 'second' ? seconds : usual, log))
}

process.on('message', async (order: Order) => {
  process.send?.({ id: order.id, ...(await carryOut(order)) } satisfies Result)
})
process.send?.('ready')

async function carryOut(order: Order): Promise<Omit<Result, 'id'>> {
  if ('guess' in order) {
    const guesses = await Promise.all(
      Array.from({ length: order.times }, () => limiter.admitUnknown(order.guess, async () => false)),
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
