import { afterAll, expect, test } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { createMetrics } from '../../src/observability/metrics.ts'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

let elsewhere: TestDatabase | undefined
afterAll(() => elsewhere?.drop())

test('replicas, by their number: whether each is in use, and what it answered', async () => {
  elsewhere = await createTestDatabase()
  const closed = `postgres://127.0.0.1:${await findPort('127.0.0.1', 0)}/studio`
  const metrics = createMetrics()
  const service = await world.start({
    replicaUrls: [world.database.adminUrl, elsewhere.adminUrl, closed],
    replicaPauseMs: 600_000,
  })
  if (service.replicas) metrics.watchReplicas(service.replicas.states)
  for (let page = 1; page <= 12; page += 1) {
    const { status } = await service.get(`/v1/items?page=${page}`, { token: world.cast.a.token.token })
    expect(status).toBe(200)
  }
  const text = await metrics.text()
  const value = (series: string) => Number(text.split(`\nstudio_inventory_${series} `)[1]?.split('\n')[0])
  const answers = (replica: number) =>
    ['current', 'behind', 'failed'].map((answer) =>
      value(`replica_answers_total{replica="${replica}",answer="${answer}"}`),
    )
  expect([1, 2, 3].map((replica) => value(`replica_in_use{replica="${replica}"}`))).toEqual([1, 1, 0])
  // It says 401 of a token that it does not know: so its answers are not used.
  expect(answers(2)).toEqual([0, 6, 0])
  expect(answers(3)).toEqual([0, 0, 1])
  expect(answers(1)).toEqual([5, 0, 0])
  expect(text).not.toMatch(/127\.0\.0\.1|postgres/)
})
