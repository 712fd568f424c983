import { LRUCache } from 'lru-cache'
import type { Config } from '../config/config.ts'
import type { Allowance } from '../http/response.ts'
import type { Logger } from '../log.ts'
import { type Count, type Counter, connectSharedStore, keptKeys, memoryCounter, sharedCounter } from './counters.ts'

/** A token's last authentication. It picks quota and cache, but never grants access. */
export type LastAuthentication = { tokenId: string; studioId: string; plan: string | null }

/** `retryAfterSeconds` is 0 when allowed; otherwise how long to wait. */
export type CountResult = Pick<Count, 'takeBack'> & { retryAfterSeconds: number }

/** All limits. A token's key is its digest as text, an address's its `addressKey`. */
export type Limiter = ReturnType<typeof limiterWith>

/** Makes the limiter with its counters in memory, or in Redis when `redisUrl` is set. */
export async function createLimiter(config: Pick<Config, 'rateLimits' | 'redisUrl'>, log: Logger): Promise<Limiter> {
  const { rateLimits, redisUrl } = config
  if (redisUrl === undefined) return limiterWith(rateLimits, (_, windowSeconds) => memoryCounter(windowSeconds))
  const store = await connectSharedStore(redisUrl)
  const limiter = limiterWith(rateLimits, (name, windowSeconds) => sharedCounter(store, name, windowSeconds, log))
  return { ...limiter, close: () => store.disconnect() }
}

/** The limiter over counters from `counter`, one per name. */
function limiterWith(limits: Config['rateLimits'], counter: (name: string, windowSeconds: number) => Counter) {
  const plans = new LRUCache<string, string>(keptKeys)
  /** The last authentication by token and address; false if refused less than a minute ago. */
  const seen = new LRUCache<string, LastAuthentication | false>(keptKeys)
  const [seconds, minutes] = [counter('second', 1), counter('minute', 60)]
  const [failures, actions] = [counter('failed', 60), counter('attempt', 60)]

  return {
    /** The last authentication of a token, if its last request from this address succeeded. */
    remembered: (key: string, address: string): LastAuthentication | undefined =>
      seen.get(`${key} ${address}`) || undefined,
    remember(key: string, address: string, token: LastAuthentication): void {
      plans.set(key, token.plan ?? 'none')
      seen.set(`${key} ${address}`, token)
    },
    /** Remembers that a token was refused from this address. It may work from others. */
    forget: (key: string, address: string): void => void seen.set(`${key} ${address}`, false, { ttl: 60_000 }),
    /** Whether a token was refused from this address in the last minute, and not accepted since. */
    wasRefused: (key: string, address: string): boolean => seen.get(`${key} ${address}`) === false,

    /** Counts a request of a token against its plan's quota, and returns the rest of the quota. */
    async admit(key: string): Promise<CountResult & { allowances: readonly [Allowance, ...Allowance[]] }> {
      // Unknown tokens get the Studio quota; tokens of a lapsed plan get the smaller one.
      const quota = ['studio', undefined].includes(plans.get(key)) ? limits.studio : limits.pro
      const [second, minute] = await Promise.all([seconds.add(key), minutes.add(key)])
      // What the second refuses does not count in the minute, so a burst costs only its second.
      const isBurst = second.consumedPoints > quota.perSecond && minute.consumedPoints <= quota.perMinute
      if (isBurst) minute.takeBack()
      return {
        retryAfterSeconds: Math.max(waitOf(second, quota.perSecond), waitOf(minute, quota.perMinute)),
        allowances: [
          allowance('second', 1, quota.perSecond, second.consumedPoints, second),
          allowance('minute', 60, quota.perMinute, minute.consumedPoints - (isBurst ? 1 : 0), minute),
        ],
        takeBack() {
          second.takeBack()
          minute.takeBack()
        },
      }
    },

    /** Counts a failure before the attempt, so that no more pass at once than may fail. Above
     * the limit, only `isIssued` tokens pass: guesses from their address do not lock them out. */
    async admitUnknown(address: string, isIssued: () => Promise<boolean>): Promise<CountResult> {
      const count = await failures.add(address)
      const wait = waitOf(count, limits.failedPerMinute)
      return { retryAfterSeconds: wait > 0 && !(await isIssued()) ? wait : 0, takeBack: count.takeBack }
    },
    /** Counts a failure of a token that worked before. */
    countFailure: async (address: string): Promise<void> => void (await failures.add(address)),
    /** Counts an action, such as a sign-in, and allows `perMinute` of them. */
    async admitAction(action: string, key: string, perMinute: number): Promise<CountResult> {
      const count = await actions.add(`${action}:${key}`)
      return { retryAfterSeconds: waitOf(count, perMinute), takeBack: count.takeBack }
    },
    close: (): void => undefined,
  }
}

function waitOf({ consumedPoints, msBeforeNext }: Count, quota: number): number {
  return consumedPoints > quota ? wholeSeconds(msBeforeNext) : 0
}

function allowance(name: string, windowSeconds: number, quota: number, used: number, count: Count): Allowance {
  const remaining = Math.min(Math.max(quota - used, 0), quota)
  return { name, quota, windowSeconds, remaining, resetSeconds: wholeSeconds(count.msBeforeNext) }
}

const wholeSeconds = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000))
