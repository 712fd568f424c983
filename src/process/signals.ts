import { constants } from 'node:os'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'

/**
 * npm forwards a Ctrl-C to a process that has already got it from the terminal: two signals within this time count as one, in
 * milliseconds.
 */
const sameSignalMs = 500

/** How long a process with an unhandled error may take to shut down, in milliseconds. */
const errorShutdownTimeoutMs = 5_000

/**
 * Shuts the process down gracefully. SIGTERM and SIGINT call `close` and exit with 0; a second signal exits at once. An error
 * that is not handled is logged, `close` is called, and the process exits with 1.
 */
export function shutDownGracefully(close: () => Promise<void>, log: Logger): void {
  let firstSignal = 0

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      const now = Date.now()
      if (firstSignal === 0) {
        firstSignal = now
        log.info({ signal }, 'stopping')
        void close().then(
          () => {
            log.info('stopped')
            process.exit(0)
          },
          (error: unknown) => {
            log.error({ reason: messageOf(error) }, 'could not shut down gracefully')
            process.exit(1)
          },
        )
      } else if (now - firstSignal > sameSignalMs) {
        process.exit(128 + constants.signals[signal])
      }
    })
  }

  let broken = false
  const breakDown = (error: unknown) => {
    log.fatal({ err: error }, 'unhandled error; shutting down')
    if (broken) return
    broken = true
    setTimeout(() => process.exit(1), errorShutdownTimeoutMs)
    void close().finally(() => process.exit(1))
  }
  process.on('uncaughtException', breakDown)
  process.on('unhandledRejection', breakDown)
}
