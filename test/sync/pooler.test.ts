import { afterAll, beforeAll, test } from 'vitest'
import { type Pooler, startPooler } from '../support/pgbouncer.ts'
import { useWorld } from '../support/world.ts'
import { expectExact, timeoutMs } from './exact.ts'

const world = useWorld()
let pooler: Pooler
beforeAll(async () => {
  pooler = await startPooler(world.database.adminUrl, 4)
})
afterAll(() => pooler?.stop())

test(
  'clients hold exactly the data of the studio when service and heartbeats go through PgBouncer',
  async () => {
    const { reach } = pooler
    const through = { reach, preparedStatements: false }
    await expectExact('through PgBouncer', world, { services: [through, { ...through, cacheMaxBytes: 0 }], reach })
  },
  timeoutMs,
)
