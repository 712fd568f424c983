import { expect, test } from 'vitest'
import { consoleOf, useConsole, type Visitor } from './support.ts'

const world = useConsole()

test('a studio has half of the connections for its pages: the others see theirs, and too many are a 429', async () => {
  const service = await world.start({ console: consoleOf(), poolSize: 2, poolQueue: 4, acquireTimeoutMs: 10_000 })
  const ours = await world.as(world.cast.a.people.owner, service)
  const theirs = await world.as(world.cast.b.people.owner, service)
  const waiting: ReturnType<Visitor['get']>[] = []
  await world.asOwner(async (transaction) => {
    await transaction.query('lock table app.maintenance_records in access exclusive mode')
    waiting.push(...Array.from({ length: 4 }, () => ours.get(world.page('maintenance'))))
    const refused = await Promise.race(waiting)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect(refused.text).toContain('Too many pages of this studio')
    expect((await theirs.get(world.page('items', world.cast.b.id))).status).toBe(200)
  })
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1)
})
