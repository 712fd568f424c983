import { type ChildProcess, fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { createLimiter, type Limiter } from '../../src/auth/limiter.ts'
import { makeLogger } from '../../src/log.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import type { Order, Result } from './limiter-process.ts'

const redisUrl = process.env.TEST_REDIS_URL ?? ''
beforeAll(() => {
  if (redisUrl === '')
    throw new Error('set TEST_REDIS_URL to a Redis or Valkey, or run .ci/with-redis npx vitest run --project redis')
})

/** A command without its number. */
type Asked = Order extends infer One ? (One extends unknown ? Omit<One, 'id'> : never) : never
type Process = { ask(order: Asked): Promise<Result>; child: ChildProcess }

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** `given`: requests per second, per minute, and the length of a second in seconds. */
async function startProcess(...given: [perSecond: number, perMinute: number, secondLasts?: number]): Promise<Process> {
  const child = fork(join(import.meta.dirname, 'limiter-process.ts'), [redisUrl, ...given.map(String)])
  closers.push(() => child.kill())
  await once(child, 'message')
  let last = 0
  return {
    child,
    ask: (order) =>
      new Promise((resolve) => {
        last += 1
        const id = last
        const listen = (result: Result) => {
          if (result.id !== id) return
          child.off('message', listen)
          resolve(result)
        }
        child.on('message', listen)
        child.send({ ...order, id })
      }),
  }
}

const wide = 1_000_000

test('two processes that share the store count one quota together', async () => {
  const [one, other] = await Promise.all([startProcess(wide, 300), startProcess(wide, 300)])
  const admit = randomUUID()
  const counts = await Promise.all([one.ask({ admit, times: 200 }), other.ask({ admit, times: 200 })])
  expect(counts.reduce((sum, { refused }) => sum + refused, 0)).toBe(100)
  for (const process of [one, other]) {
    const more = await process.ask({ admit, times: 1 })
    expect(more.refused).toBe(1)
    expect(more.retryAfterSeconds).toBeGreaterThan(50)
    expect(more.retryAfterSeconds).toBeLessThanOrEqual(60)
    expect(more.remaining[1]).toBe(0)
  }
})

test('a later process finds the earlier counts', async () => {
  const admit = randomUUID()
  const first = await startProcess(wide, 10)
  await first.ask({ admit, times: 10 })
  first.child.kill()
  await once(first.child, 'exit')
  const second = await startProcess(wide, 10)
  expect((await second.ask({ admit, times: 1 })).refused).toBe(1)
})

test('guesses of an address count together, however many arrive at once', async () => {
  const [one, other] = await Promise.all([startProcess(wide, wide), startProcess(wide, wide)])
  const guess = randomUUID()
  const counts = await Promise.all([one.ask({ guess, times: 20 }), other.ask({ guess, times: 20 })])
  expect(counts.reduce((sum, { refused }) => sum + refused, 0)).toBe(35)
  for (const process of [one, other]) {
    expect((await process.ask({ guess, times: 1 })).retryAfterSeconds).toBeGreaterThan(50)
  }
})

test('no key is stored longer than its window, and none contains a token', async () => {
  const one = await startProcess(wide, wide)
  const admit = randomUUID()
  await one.ask({ admit, times: 3 })
  const keys = (await command(`KEYS *${admit}*`)).split('\r\n').filter((line) => line.includes(admit))
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

/** Ten requests a minute. */
async function limiterBehind(proxy: DatabaseProxy, lines: string[] = []): Promise<Limiter> {
  const quota = { perSecond: wide, perMinute: 10 }
  const limiter = await createLimiter(
    { redisUrl: proxy.reach(redisUrl), rateLimits: { pro: quota, studio: quota, failedPerMinute: 5 } },
    makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } }),
  )
  closers.push(limiter.close)
  return limiter
}

test('a store that becomes unreachable fails open and is logged, and is used again when it is back', async () => {
  const lines: string[] = []
  const proxy = await openedProxy()
  const limiter = await limiterBehind(proxy, lines)
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
  const other = await startProcess(wide, 10)
  await vi.waitFor(
    async () => {
      const fresh = randomUUID()
      const before = (await other.ask({ admit: fresh, times: 1 })).remaining[1] ?? 0
      await limiter.admit(fresh)
      expect((await other.ask({ admit: fresh, times: 1 })).remaining[1]).toBe(before - 2)
    },
    { timeout: 15_000, interval: 500 },
  )
}, 30_000)

test('an unresponsive store does not delay requests', async () => {
  const proxy = await openedProxy()
  const limiter = await limiterBehind(proxy)
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
