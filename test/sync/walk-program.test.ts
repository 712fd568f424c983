import { expect, it } from 'vitest'
import type { Limiter } from '../../src/auth/limiter.ts'
import { DatabaseUnavailable } from '../../src/database/errors.ts'
import { generous } from '../support/service.ts'
import type { List } from '../support/world.ts'
import { usePrograms } from './programs.ts'

const { world, studioWithRecords, program } = usePrograms()

it('the paging program reads every record once, in order, and reports a refusal', async () => {
  const studio = await studioWithRecords()
  const { data } = await world.read<List<{ id: string; name: string }>>('/v1/items?per_page=100', studio)
  const { output } = await program('walk.js', process.execPath, world.service, studio.token)
  const lines = (await output()).trimEnd().split('\n')
  expect(lines.slice(0, 100)).toEqual(data.map(({ id, name }) => `${id} ${name}`))
  expect(new Set(lines).size).toBe(231)
  expect(lines).toHaveLength(231)
  await world.owner(`select access.set_subscription($1, 'studio', 'canceled', null, '2020-01-01', '2020-02-01')`, [
    studio.id,
  ])
  await expect(output()).rejects.toThrow(/plan_required [0-9a-f-]{36}: The studio's plan/)
})

it('the paging program waits for Retry-After after a 429 and a 503', async () => {
  const studio = await studioWithRecords()
  let restarting = true
  const restartsOnce = (real: Limiter): Limiter => ({
    ...real,
    async admit(key) {
      if (!restarting) return real.admit(key)
      restarting = false
      throw new DatabaseUnavailable('restarting')
    },
  })
  const refusals: number[] = []
  const service = await world.start({
    limits: { ...generous, studio: { perSecond: 1, perMinute: 10_000 } },
    limiter: restartsOnce,
    measure: ({ status }) => {
      if (status !== 200) refusals.push(status)
    },
  })
  const { output } = await program('walk.js', process.execPath, service, studio.token)
  const lines = (await output()).trimEnd().split('\n')
  expect(new Set(lines).size).toBe(231)
  expect(lines).toHaveLength(231)
  expect(refusals.filter((status) => status === 503)).toHaveLength(1)
  expect(refusals.filter((status) => status === 429).length).toBeGreaterThan(0)
})
