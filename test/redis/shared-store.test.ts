import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createLimiter, type Limiter } from '../../src/auth/limiter.ts'
import { makeLogger } from '../../src/log.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'

const redisUrl = process.env.TEST_REDIS_URL ?? ''
beforeAll(() => {
  if (redisUrl === '')
    throw new Error('set TEST_REDIS_URL to a Redis or Valkey, or run .ci/with-redis npx vitest run --project redis')
})

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

const wide = 1_000_000

/** A limiter with a connection of its own, as each process has one. */
async function start(perMinute = wide, url = redisUrl, lines: string[] = []): Promise<Limiter> {
  const quota = { perSecond: wide, perMinute }
  const limiter = await createLimiter(
    { redisUrl: url, rateLimits: { pro: quota, studio: quota, failedPerMinute: 5 } },
    makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } }),
  )
  closers.push(limiter.close)
  return limiter
}

const admitAll = (limiter: Limiter, token: string, times: number) =>
  Promise.all(Array.from({ length: times }, () => limiter.admit(token)))
const refusedOf = (all: { retryAfterSeconds: number }[]) => all.filter(({ retryAfterSeconds }) => retryAfterSeconds > 0)

test('two processes that share the store count one quota together', async () => {
  const both = await Promise.all([start(300), start(300)])
  const token = randomUUID()
  const counts = await Promise.all(both.map((limiter) => admitAll(limiter, token, 200)))
  expect(refusedOf(counts.flat())).toHaveLength(100)
  for (const limiter of both) {
    const { retryAfterSeconds, allowances } = await limiter.admit(token)
    expect(retryAfterSeconds).toBeGreaterThan(50)
    expect(retryAfterSeconds).toBeLessThanOrEqual(60)
    expect(allowances[1]?.remaining).toBe(0)
  }
})

test('guesses of an address count together, however many arrive at once', async () => {
  const both = await Promise.all([start(), start()])
  const address = randomUUID()
  const guess = (limiter: Limiter) => limiter.admitUnknown(address, async () => false)
  const guesses = both.flatMap((limiter) => Array.from({ length: 20 }, () => guess(limiter)))
  expect(refusedOf(await Promise.all(guesses))).toHaveLength(35)
  for (const limiter of both) expect((await guess(limiter)).retryAfterSeconds).toBeGreaterThan(50)
})

test('no key is stored longer than its window, and none contains a token', async () => {
  const token = randomUUID()
  await admitAll(await start(), token, 3)
  const keys = (await command(`KEYS *${token}*`)).split('\r\n').filter((line) => line.includes(token))
  expect(keys).toHaveLength(2)
  for (const key of keys) {
    expect(key).toMatch(/^studio-inventory:(?:second|minute):/)
    const remaining = Number.parseInt((await command(`PTTL ${key}`)).slice(1), 10)
    expect(remaining).toBeGreaterThan(0)
    expect(remaining).toBeLessThanOrEqual(60_000)
  }
})

async function openedProxy(): Promise<DatabaseProxy> {
  const proxy = await openProxy(redisUrl)
  closers.push(() => proxy.close())
  return proxy
}

test('a store that becomes unreachable fails open and is logged, and is used again when it is back', async () => {
  const lines: string[] = []
  const proxy = await openedProxy()
  const limiter = await start(10, proxy.reach(redisUrl), lines)
  const key = randomUUID()
  const refused = async () => (await limiter.admit(key)).retryAfterSeconds > 0
  for (let count = 0; count < 10; count += 1) expect(await refused()).toBe(false)
  expect(await refused()).toBe(true)

  await proxy.down()
  const began = performance.now()
  for (let count = 0; count < 10; count += 1) expect(await refused()).toBe(false)
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(await refused()).toBe(true)
  const alarms = lines.filter((line) => line.includes('counters are unreachable'))
  expect(alarms).toHaveLength(2)
  expect(new Set(alarms.map((line) => JSON.parse(line).counter))).toEqual(new Set(['second', 'minute']))

  await proxy.up()
  const other = await start(10)
  const remaining = async (token: string) => (await other.admit(token)).allowances[1]?.remaining ?? 0
  await vi.waitFor(
    async () => {
      const fresh = randomUUID()
      const before = await remaining(fresh)
      await limiter.admit(fresh)
      expect(await remaining(fresh)).toBe(before - 2)
    },
    { timeout: 15_000, interval: 500 },
  )
}, 30_000)

test('an unresponsive store does not delay requests', async () => {
  const proxy = await openedProxy()
  const limiter = await start(10, proxy.reach(redisUrl))
  proxy.silence()
  const began = performance.now()
  for (let count = 0; count < 10; count += 1) {
    expect((await limiter.admit('a token')).retryAfterSeconds).toBe(0)
  }
  expect(performance.now() - began).toBeLessThan(5_000)
  expect((await limiter.admit('a token')).retryAfterSeconds).toBeGreaterThan(0)
})

/** One inline command of the Redis protocol. */
async function command(text: string): Promise<string> {
  const { hostname, port } = new URL(redisUrl)
  const socket = connect(Number(port || 6379), hostname)
  socket.write(`${text}\r\nQUIT\r\n`)
  return Buffer.concat(await socket.toArray()).toString()
}
