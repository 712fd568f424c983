import { parentPort, workerData } from 'node:worker_threads'
import type { PoolStats } from '../../database/pool.ts'
import { messageOf } from '../../domain/error.ts'
import type { Measured } from '../../http/observation.ts'
import { makeLogger } from '../../observability/log.ts'
import { type GraphqlOptions, openGraphql } from './listener.ts'

/** What the thread is given, and the messages it sends. */
export type WorkerData = {
  options: GraphqlOptions
  logLevel: string
  /** Whether to report its requests and its pool. */
  watched: boolean
}
export type WorkerMessage = { listening: number } | { failed: string } | { measured: Measured } | { pool: PoolStats }

/** How often the state of the pool is reported, in milliseconds. */
const reportEveryMs = 1_000

const { options, logLevel, watched } = workerData as WorkerData
const post = (message: WorkerMessage) => parentPort?.postMessage(message)

try {
  const measure = (measured: Measured) => {
    if (watched && measured.route === '/graphql') post({ measured })
  }
  const listener = await openGraphql(options, makeLogger({ level: logLevel }), measure)
  if (watched) setInterval(() => post({ pool: listener.pool.stats() }), reportEveryMs).unref()
  parentPort?.once('message', () => {
    void listener.close().finally(() => process.exit(0))
  })
  post({ listening: listener.port })
} catch (error) {
  post({ failed: messageOf(error) })
}
