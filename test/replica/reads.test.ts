import { expect, test } from 'vitest'
import { useWorld } from '../support/world.ts'

const world = useWorld()

test('these tests read from the replica: the primary authenticates, and the replica answers every list and item', async () => {
  const service = await world.start({ cacheMaxBytes: 0 })
  const { token } = world.cast.a.token
  const paths = ['/v1/items', '/v1/locations', '/v1/maintenance', '/v1/policies', '/v1/account']
  for (const path of paths) expect((await service.get(path, { token })).status).toBe(200)
  expect(service.replicas?.states()).toMatchObject([{ inUse: true, current: paths.length, behind: 0, failed: 0 }])
})
