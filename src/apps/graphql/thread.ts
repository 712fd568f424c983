import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { PoolStats } from '../../database/pool.ts'
import { messageOf } from '../../domain/error.ts'
import { ListenError } from '../../http/listener.ts'
import type { Measured } from '../../http/observation.ts'
import type { Logger } from '../../observability/log.ts'
import type { GraphqlOptions } from './listener.ts'
import type { WorkerData, WorkerMessage } from './worker.ts'

/** How much memory the thread may use before it is ended and restarted, in megabytes. */
const maxMemoryMb = 512

/** Backoff before a thread that ended is replaced, in milliseconds. */
const backoffMs = [500, 1_000, 5_000, 30_000]

/** A thread that ran for this long resets the backoff. */
const stableAfterMs = 60_000

/** How long a thread may take to end beyond the time for requests in flight, in milliseconds. */
const killAfterMs = 3_000

export type GraphqlThread = {
  /** The state of its pool, at most a second old; zeros while there is no thread. */
  poolStats(): PoolStats
  close(): Promise<void>
}

export type ThreadOptions = {
  options: GraphqlOptions
  logLevel: string
  log: Logger
  /** Counts its requests in the metrics. */
  measure?: ((request: Measured) => void) | undefined
  file?: URL
}

const noPool: PoolStats = { size: 0, idle: 0, waiting: 0, refused: 0 }

/** Beside this file, with the same extension: TypeScript in a checkout, JavaScript in an installed package. */
const workerFile = new URL(`worker${extname(import.meta.url)}`, import.meta.url)

/**
 * Runs the GraphQL listener in a thread of its own: queries take long to plan and analysts write them, and neither their
 * CPU time nor an error or a lack of memory there may affect the API. A thread that ends is replaced.
 *
 * @param options with a port that is known to be free: a thread that restarts takes the same one
 * @throws ListenError
 */
export async function startGraphql({
  options,
  logLevel,
  log,
  measure,
  file = workerFile,
}: ThreadOptions): Promise<GraphqlThread> {
  let worker: Worker
  let closing = false
  let failures = 0
  let pool = noPool

  async function start(): Promise<void> {
    const workerData: WorkerData = { options, logLevel, watched: measure !== undefined }
    // An empty environment: the thread has all it needs, and no variable can make a library print statements.
    const env = { GRAPHILE_ENV: 'production' }
    worker = new Worker(file, { workerData, env, resourceLimits: { maxOldGenerationSizeMb: maxMemoryMb } })
    const startedAt = Date.now()
    worker.on('error', (error: unknown) => {
      log.error({ reason: messageOf(error) }, 'the GraphQL thread failed')
    })
    await new Promise<void>((resolve, reject) => {
      worker.on('message', (message: WorkerMessage) => {
        if ('measured' in message) measure?.(message.measured)
        else if ('pool' in message) pool = message.pool
        else if ('listening' in message) resolve()
        else reject(new ListenError(message.failed))
      })
      worker.once('exit', () => reject(new Error('the GraphQL thread ended')))
    })
    worker.once('exit', () => {
      pool = noPool
      if (closing) return
      if (Date.now() - startedAt > stableAfterMs) failures = 0
      void restart()
    })
  }

  async function restart(): Promise<void> {
    while (!closing) {
      await sleep(backoffMs[Math.min(failures++, backoffMs.length - 1)], undefined, { ref: false })
      if (closing) return
      try {
        await start()
        log.info('the GraphQL thread restarted')
        return
      } catch (error) {
        log.error({ reason: messageOf(error) }, 'the GraphQL thread cannot start')
      }
    }
  }

  try {
    await start()
  } catch (error) {
    if (error instanceof ListenError) throw error
    void restart()
  }
  return {
    poolStats: () => pool,
    async close() {
      closing = true
      const gone = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
      if (worker.threadId === -1) return
      worker.postMessage('close')
      await Promise.race([gone, sleep(options.config.shutdownTimeoutMs + killAfterMs, undefined, { ref: false })])
      await worker.terminate()
    },
  }
}
