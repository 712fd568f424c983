import { afterAll, beforeAll } from 'vitest'
import { type AdminListener, openAdminListener } from '../../src/observability/admin-listener.ts'
import { makeLogger } from '../../src/observability/log.ts'
import { docsUrl, generous, type TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/** An admin port that listens, and a service that is measured by it. */
export type Measured = { admin: AdminListener; service: TestService; url: string }

export const log = makeLogger({ level: 'silent' })

/** Gives the test file a world whose service is measured, and ways to read what is told of it. To be called at its top. */
export function useMetrics() {
  const world = useWorld()
  const measured = {} as Measured
  beforeAll(async () => {
    const admin = await openAdminListener({ host: '127.0.0.1', port: 0 }, docsUrl, log)
    Object.assign(measured, { admin, url: `http://127.0.0.1:${admin.port}` })
    const { metrics } = admin
    const service = await world.start({
      ...{ poolSize: 2, poolQueue: 3, acquireTimeoutMs: 2_000 },
      limits: { ...generous, pro: { perSecond: 5, perMinute: 1_000 }, failedPerMinute: 3 },
      measure: metrics.measure,
      limiter: metrics.counting,
    })
    Object.assign(measured, { service })
    metrics.watchPool('studio_api', service.api)
    metrics.watchRecorder(service.recorder.stats)
    metrics.watchReplicas(() => [{ inUse: true, current: 5, behind: 1, failed: 0 }])
    metrics.watchConnections(async () => 7)
    metrics.watchWatermark(() => 2)
    metrics.watchValuationRefresh(() => 1)
    metrics.watchSignIns({ signed_in: 3, refused: 2, unavailable: 1 })
    metrics.watchCache(() => ({ entries: 1, hits: 3, misses: 2, bytes: 1_000 }))
  })
  afterAll(() => measured.admin?.close())

  const scrape = async (from = measured.url) => (await fetch(`${from}/metrics`)).text()
  return {
    world,
    measured,
    scrape,
    /** The value of a series, 0 when there is none. */
    async value(series: string, from = measured.url): Promise<number> {
      const line = (await scrape(from)).split('\n').find((each) => each.startsWith(`studio_inventory_${series} `))
      return Number(line?.split(' ')[1] ?? 0)
    },
    ask: (path: string, token: string | null = world.cast.a.token.token) => measured.service.get(path, { token }),
  }
}
