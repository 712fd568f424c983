import { constants } from 'node:os'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'

/**
 * npm hands a Ctrl-C on to a process that the terminal has told already: two signals within this time are one, in
 * milliseconds.
 */
const sameSignal = 500

/** How long a process with an unhandled error may take to write what it still holds, in milliseconds. */
const lastWords = 5_000

/**
 * Ends the process in order. SIGTERM and SIGINT call `close` and exit with 0; a second signal exits at once. An error
 * that nothing has handled is logged, `close` is called, and the process exits with 1.
 */
export function endInOrder(close: () => Promise<void>, log: Logger): void {
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
            log.error({ reason: messageOf(error) }, 'could not stop in order')
            process.exit(1)
          },
        )
      } else if (now - firstSignal > sameSignal) {
        process.exit(128 + constants.signals[signal])
      }
    })
  }

  let broken = false
  const breakDown = (error: unknown) => {
    log.fatal({ err: error }, 'an error was not handled; the process ends')
    if (broken) return
    broken = true
    setTimeout(() => process.exit(1), lastWords)
    void close().finally(() => process.exit(1))
  }
  process.on('uncaughtException', breakDown)
  process.on('unhandledRejection', breakDown)
}
