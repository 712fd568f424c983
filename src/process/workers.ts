import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, workerVariable } from '../config/config.ts'
import { findPort } from '../http/listener.ts'
import type { Logger } from '../observability/log.ts'

/** Backoff before a worker that ended is replaced, in milliseconds. */
const backoffMs = [200, 1_000, 5_000, 30_000]

/** A worker that ran for this long resets the backoff. */
const stableAfterMs = 60_000

/** How long a worker may take to exit beyond the delay and the time for requests in flight, in milliseconds. */
const killAfterMs = 10_000

/** The workers cannot start. The worker itself has logged why. */
export class WorkerFailed extends Error {
  override name = 'WorkerFailed'
}

/** `announce` does nothing: each worker announces its own end. */
export type Workers = { announce(): Promise<void>; close(): Promise<void> }

/**
 * Runs the service in several processes that share a port, and replaces one that exits. Only the first runs jobs that have to run
 * once; the others start when it listens, so an error is reported once.
 *
 * @throws ListenError, WorkerFailed when the first worker ends before it listens
 */
export async function supervise(config: Config, log: Logger): Promise<Workers> {
  const port = await findPort(config.host, config.port)
  const running = new Map<number, Worker>()
  /** How often in a row a worker ended. */
  const failures = new Map<number, number>()
  let closing: Promise<void> | undefined

  function start(number: number): Worker {
    const worker = cluster.fork(environmentOf(config, number, port))
    running.set(number, worker)
    const startedAt = Date.now()
    worker.once('exit', (code, signal) => {
      running.delete(number)
      if (closing !== undefined || (number === 1 && !started)) return
      const before = Date.now() - startedAt > stableAfterMs ? 0 : (failures.get(number) ?? 0)
      failures.set(number, before + 1)
      const delayMs = backoffMs[Math.min(before, backoffMs.length - 1)] ?? 0
      log.error({ worker: number, code, signal, backoff_ms: delayMs }, 'a worker ended and is replaced')
      void sleep(delayMs).then(() => {
        if (closing === undefined) start(number)
      })
    })
    return worker
  }

  let started = false
  const first = start(1)
  const end = once(first, 'exit').then(() => {
    if (closing === undefined && !started) throw new WorkerFailed('the first worker could not start')
  })
  // Only the API's port is shared; a worker's other ports do not matter here.
  await Promise.race([once(first, 'listening'), end])
  started = true
  for (let number = 2; number <= config.scaling.workers && closing === undefined; number++) start(number)

  const stop = async () => {
    const all = [...running.values()]
    const gone = Promise.all(all.map((worker) => (worker.isDead() ? undefined : once(worker, 'exit'))))
    for (const worker of all) worker.process.kill('SIGTERM')
    const timeout = new AbortController()
    const killing = sleep(config.shutdownDelayMs + config.shutdownTimeoutMs + killAfterMs, undefined, {
      signal: timeout.signal,
    }).then(() => {
      for (const worker of running.values()) worker.process.kill('SIGKILL')
    })
    await gone
    timeout.abort()
    await killing.catch(() => undefined)
  }
  return {
    announce: async () => undefined,
    close() {
      closing ??= stop()
      return closing
    },
  }
}

/** What a worker process is given: its number, the port that was found, and an admin port of its own. */
function environmentOf(
  config: Config & { metrics?: { port: number } | undefined },
  number: number,
  port: number,
): Record<string, string> {
  const environment: Record<string, string> = { [workerVariable]: String(number), PORT: String(port) }
  const metricsPort = config.metrics?.port
  if (metricsPort !== undefined && metricsPort > 0) environment.METRICS_PORT = String(metricsPort + number - 1)
  return environment
}
