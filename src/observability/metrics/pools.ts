import { Counter, Gauge, type Registry } from 'prom-client'
import type { PoolStats } from '../../database/pool.ts'
import { prefix } from './state.ts'

/** Connections, and statements that wait for one or were refused. */
export function watchingPools(registry: Registry): (pool: string, stats: () => PoolStats) => void {
  const pools: { labels: { pool: string }; stats(): PoolStats }[] = []
  const labelNames = ['pool'] as const
  const parts = [
    ['size', 'Connections to the database.'],
    ['idle', 'Idle connections to the database.'],
    ['waiting', 'Statements waiting for a connection.'],
  ] as const
  for (const [part, help] of parts) {
    new Gauge({
      ...{ name: `${prefix}pool_${part}`, help, labelNames, registers: [registry] },
      collect() {
        for (const { labels, stats } of pools) this.set(labels, stats()[part])
      },
    })
  }
  new Counter({
    ...{ name: `${prefix}pool_refused_total`, labelNames, registers: [registry] },
    help: 'Statements refused with 503 because the queue for a connection was full.',
    collect() {
      this.reset()
      for (const { labels, stats } of pools) this.inc(labels, stats().refused)
    },
  })
  return (pool, stats) => void pools.push({ labels: { pool }, stats })
}
