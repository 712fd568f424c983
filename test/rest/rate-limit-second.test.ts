import { afterEach, expect, test, vi } from 'vitest'
import { useWorld } from '../support/world.ts'
import { burst, expected, only, standard, statuses } from './limits.ts'

const world = useWorld()

/** Stops the clock of the counters for the rest of the test: a second is over when the test says so, however slow the machine is. */
const stopClock = () => vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
/** Lets the stopped clock run until the window of a second that has begun is over. */
const nextSecond = () => vi.advanceTimersByTimeAsync(1_050)

afterEach(() => void vi.useRealTimers())

test.each([
  ['pro', 10],
  ['pro_insure', 10],
  ['studio', 20],
])('the plan %s allows %i requests in a second', async (plan, perSecond) => {
  const service = await world.start({ limits: only('perSecond') })
  const { token } = await world.newStudio({ plan })
  stopClock()
  expect((await service.get('/v1/account', { token })).status).toBe(200)
  await nextSecond()
  expect(statuses(await burst(service, perSecond + 5, token))).toEqual(expected(perSecond, 5))
})

test('Retry-After is true: a second early is too early, waiting it out is enough', async () => {
  const service = await world.start({ limits: only('perSecond') })
  const { token } = await world.newStudio()
  stopClock()
  const replies = await burst(service, 25, token)
  const refused = replies.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(5)
  for (const { headers } of refused) expect(headers['retry-after']).toBe('1')
  await vi.advanceTimersByTimeAsync(999)
  expect((await service.get('/v1/account', { token })).status).toBe(429)
  await vi.advanceTimersByTimeAsync(1)
  expect(statuses(await burst(service, 20, token))).toEqual(expected(20, 0))
})

test('RateLimit-Policy and RateLimit are structured fields, and count down truly', async () => {
  const service = await world.start({ limits: standard })
  const { token } = await world.newStudio({ plan: 'pro' })
  stopClock()
  await service.get('/v1/account', { token })
  await nextSecond()
  for (let used = 1; used <= 10; used += 1) {
    const { headers } = await service.get('/v1/account', { token })
    expect(headers['ratelimit-policy']).toBe('"second";q=10;w=1, "minute";q=120;w=60')
    const fields = /^"second";r=(\d+);t=1, "minute";r=(\d+);t=(\d+)$/.exec(String(headers.ratelimit))
    expect(fields?.slice(1, 3).map(Number)).toEqual([10 - used, 119 - used])
    expect(Number(fields?.[3])).toBeGreaterThan(50)
  }
  expect((await service.get('/v1/account', { token })).headers.ratelimit).toMatch(/^"second";r=0;t=1, "minute";r=109;/)
})
