import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Config, workerVariable } from '../config/config.ts'
import { findPort } from '../http/listener.ts'
import type { Logger } from '../observability/log.ts'

/** How long to wait before a worker that ended is replaced; longer each time, in milliseconds. */
const pauses = [200, 1_000, 5_000, 30_000]

/** After so long without an end, the pauses begin anew. */
const soundAfterMs = 60_000

/** How long a worker may take to end beyond the time for requests under way, in milliseconds. */
const lastMoments = 10_000

/** The workers cannot begin. The worker itself has said why. */
export class WorkerFailed extends Error {
  override name = 'WorkerFailed'
}

export type Workers = { close(): Promise<void> }

/**
 * Runs the service in several processes that share a port, and replaces one that ends. The first alone does what is to be
 * done once; the others begin when it listens, so that what is wrong is said once.
 *
 * @throws ListenError, WorkerFailed when the first worker ends before it listens
 */
export async function supervise(config: Config, log: Logger): Promise<Workers> {
  const port = await findPort(config.host, config.port)
  const running = new Map<number, Worker>()
  /** How often in a row a worker ended. */
  const ended = new Map<number, number>()
  let closing: Promise<void> | undefined

  function begin(number: number): Worker {
    const worker = cluster.fork(environmentOf(config, number, port))
    running.set(number, worker)
    const begun = Date.now()
    worker.once('exit', (code, signal) => {
      running.delete(number)
      if (closing !== undefined || (number === 1 && !started)) return
      const before = Date.now() - begun > soundAfterMs ? 0 : (ended.get(number) ?? 0)
      ended.set(number, before + 1)
      const pause = pauses[Math.min(before, pauses.length - 1)] ?? 0
      log.error({ worker: number, code, signal, pause }, 'a worker ended and is replaced')
      void sleep(pause).then(() => {
        if (closing === undefined) begin(number)
      })
    })
    return worker
  }

  let started = false
  const first = begin(1)
  const end = once(first, 'exit').then(() => {
    if (closing === undefined && !started) throw new WorkerFailed('the first worker could not start')
  })
  // A worker's other ports are no business of ours: only the API's is shared.
  await Promise.race([once(first, 'listening'), end])
  started = true
  for (let number = 2; number <= config.scaling.workers && closing === undefined; number++) begin(number)

  const stop = async () => {
    const all = [...running.values()]
    const gone = Promise.all(all.map((worker) => (worker.isDead() ? undefined : once(worker, 'exit'))))
    for (const worker of all) worker.process.kill('SIGTERM')
    const patience = new AbortController()
    const cut = sleep(config.shutdownTimeoutMs + lastMoments, undefined, { signal: patience.signal }).then(() => {
      for (const worker of running.values()) worker.process.kill('SIGKILL')
    })
    await gone
    patience.abort()
    await cut.catch(() => undefined)
  }
  return {
    close() {
      closing ??= stop()
      return closing
    },
  }
}

/** What makes a worker of a process: its number, the port that was found, and an operator's port of its own. */
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
