import { parentPort, workerData } from 'node:worker_threads'
import { type PoolStats, statsOf } from '../../database/pools.ts'
import { messageOf } from '../../domain/error.ts'
import type { Measured } from '../../http/observation.ts'
import { makeLogger } from '../../observability/log.ts'
import { type GraphqlOptions, openGraphql } from './listener.ts'

/** What the thread is given, and what it says. */
export type WorkerData = {
  options: GraphqlOptions
  logLevel: string
  /** Whether anybody wants to know of its requests and its pool. */
  watched: boolean
}
export type WorkerMessage = { listening: number } | { failed: string } | { measured: Measured } | { pool: PoolStats }

/** How often it is said what the pool is doing, in milliseconds. */
const sayEveryMs = 1_000

const { options, logLevel, watched } = workerData as WorkerData
const say = (message: WorkerMessage) => parentPort?.postMessage(message)

try {
  const measure = (measured: Measured) => {
    if (watched && measured.route === '/graphql') say({ measured })
  }
  const listener = await openGraphql(options, makeLogger({ level: logLevel }), measure)
  if (watched) setInterval(() => say({ pool: statsOf(listener.pool) }), sayEveryMs).unref()
  parentPort?.once('message', () => {
    void listener.close().finally(() => process.exit(0))
  })
  say({ listening: listener.port })
} catch (error) {
  say({ failed: messageOf(error) })
}
