import { constants } from 'node:os'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'

/** npm repeats a Ctrl-C that the process got: within these milliseconds, two count as one. */
const sameSignalMs = 500

/** How long a process with an unhandled error may take to shut down, in milliseconds. */
const errorShutdownTimeoutMs = 5_000

export type Closable = {
  /** Answers 503 at `/readyz`, but serves the rest for SHUTDOWN_DELAY_MS. Errors skip it. */
  announce(): Promise<void>
  /** Finishes requests in flight, writes what is still buffered and releases everything. */
  close(): Promise<void>
}

/** Closes resources in reverse order, even if one fails. Node 22 has no AsyncDisposableStack. */
export type Resources = { defer(close: () => unknown): void; close(): Promise<void> }

export function collectResources(): Resources {
  const closers: (() => unknown)[] = []
  return {
    defer: (close) => closers.push(close),
    async close() {
      const failures: unknown[] = []
      while (closers.length > 0) {
        try {
          await closers.pop()?.()
        } catch (error) {
          failures.push(error)
        }
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** SIGTERM and SIGINT announce, close and exit with 0; a second signal exits at once; an
 * unhandled error exits with 1. A signal during the start waits for it.
 * @returns what has started */
export function shutDownGracefully<Service extends Closable>(
  starting: Promise<Service>,
  log: Logger,
): Promise<Service> {
  let firstSignal = 0
  let broken = false

  function stop(signal: string): void {
    firstSignal = Date.now()
    log.info({ signal }, 'stopping')
    const closed = starting.then(async (service) => {
      await service.announce()
      if (!broken) await service.close()
    })
    void closed.then(
      () => {
        if (broken) return
        log.info('stopped')
        process.exit(0)
      },
      (error: unknown) => {
        log.error({ reason: messageOf(error) }, 'could not shut down gracefully')
        process.exit(1)
      },
    )
  }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (firstSignal === 0) stop(signal)
      else if (Date.now() - firstSignal > sameSignalMs) process.exit(128 + constants.signals[signal])
    })
  }

  const breakDown = (error: unknown) => {
    log.fatal({ err: error }, 'unhandled error; shutting down')
    if (broken) return
    broken = true
    setTimeout(() => process.exit(1), errorShutdownTimeoutMs)
    void starting.then((service) => service.close()).finally(() => process.exit(1))
  }
  process.on('uncaughtException', breakDown)
  process.on('unhandledRejection', breakDown)
  return starting
}
