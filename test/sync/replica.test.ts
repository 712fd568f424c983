import { expect, inject, onTestFinished, test } from 'vitest'
import { urlOf } from '../scaling/servers.ts'
import { withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { expectExact, timeoutMs } from './exact.ts'

const world = useWorld()

/** Commits arrive on the replica this much later. */
async function lag(milliseconds: number): Promise<void> {
  await withClient(urlOf(inject('servers').replica), async (admin) => {
    await admin.query(`alter system set recovery_min_apply_delay = ${milliseconds}`)
    await admin.query('select pg_reload_conf()')
  })
}

test(
  'clients hold exactly the data of the studio when their service reads from a replica that lags',
  async () => {
    onTestFinished(() => lag(0))
    await lag(400)
    const replicaUrls = [urlOf(inject('servers').replica, world.database.name)]
    const services = [{ replicaUrls }, { replicaUrls, cacheMaxBytes: 0 }]
    const answered = await expectExact('with reads on a lagging replica', world, { services })
    const states = answered.flatMap((service) => service.replicas?.states() ?? [])
    expect(states.every(({ current, behind }) => current > 0 && behind > 0)).toBe(true)
  },
  timeoutMs,
)
