import { expect, test, vi } from 'vitest'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { generous, type TestService } from '../support/service.ts'
import { watchStatements } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const failedPerMinute = 5

/** A process that knows no token, as after a restart, and whose address has guessed too often. */
async function guessedOut(): Promise<TestService> {
  const service = await world.start({ limits: { ...generous, failedPerMinute } })
  for (let count = 0; count < failedPerMinute; count += 1) expect(await guess(service)).toBe(401)
  expect(await guess(service)).toBe(429)
  return service
}
const statusOf = async (service: TestService, token: string) => (await service.get('/v1/account', { token })).status
const guess = (service: TestService) => statusOf(service, tokenOf('studio', newSecret()))

test('a good token is never refused for what others guess from its address, not by a process that has just started', async () => {
  const service = await guessedOut()
  const { cast } = world
  for (const { token } of [cast.a.token, cast.b.token]) expect(await statusOf(service, token)).toBe(200)
})

test('nor is one that was issued meanwhile', async () => {
  const service = await guessedOut()
  const { token } = await world.newStudio()
  expect(await statusOf(service, token)).toBe(200)
})

test('a revoked token is a guess like any other', async () => {
  const { id, owner, token } = await world.newStudio()
  await world.owner(
    'select r.id from access.tokens t cross join lateral access.revoke_token($1, t.id, $2) r where t.studio_id = $1',
    [id, owner],
  )
  expect(await statusOf(await guessedOut(), token)).toBe(429)
})

test('of guesses that arrive at once the database is asked about no more than may fail', async () => {
  const service = await world.start({ limits: { ...generous, failedPerMinute } })
  const asked = vi.spyOn(service.api, 'query')
  const statuses = await Promise.all(Array.from({ length: 40 }, () => guess(service)))
  expect(statuses.filter((status) => status === 401)).toHaveLength(failedPerMinute)
  expect(statuses.filter((status) => status === 429)).toHaveLength(40 - failedPerMinute)
  // The first value is a digest, or of a batch all of them one after the other.
  const digests = asked.mock.calls.map(([, values]) => values?.[0]).filter((value) => Buffer.isBuffer(value))
  expect(Buffer.concat(digests).length / 32).toBe(failedPerMinute)
})

test('however many guesses there are, the tokens are read twice a second at most, and no guess is looked up', async () => {
  const service = await guessedOut()
  const { names } = watchStatements(service.api)
  const began = performance.now()
  for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: 20 }, () => guess(service)))
  const seconds = (performance.now() - began) / 1_000
  expect(names.length).toBeLessThanOrEqual(2 * seconds + 2)
  expect(new Set(names)).toEqual(new Set(['access.token_prefixes']))
})

test('good tokens that the process has not seen are no failures', async () => {
  const service = await world.start({ limits: { ...generous, failedPerMinute } })
  const studios = await Promise.all(Array.from({ length: failedPerMinute + 1 }, () => world.newStudio()))
  for (const { token } of studios) expect(await statusOf(service, token)).toBe(200)
  expect(await guess(service)).toBe(401)
})
