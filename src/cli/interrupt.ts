import { Interrupted } from './failure.ts'

/** A terminal and npm may both send the signal of one Ctrl-C; within this time they count as one, in milliseconds. */
const sameSignalMs = 500

/**
 * Runs work that Ctrl-C ends in order: the first signal aborts it, and it throws Interrupted with this message once it has cleaned
 * up; a second signal ends the process at once.
 *
 * @throws Interrupted, or what the work throws
 */
export async function interruptible<Result>(
  message: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController()
  let first = 0
  const end = (signal: NodeJS.Signals) => {
    const now = Date.now()
    if (first === 0) {
      first = now
      controller.abort(new Interrupted(signal === 'SIGTERM' ? 'SIGTERM' : 'SIGINT', message))
    } else if (now - first > sameSignalMs) process.exit(130)
  }
  process.on('SIGINT', end)
  process.on('SIGTERM', end)
  try {
    return await work(controller.signal)
  } finally {
    process.removeListener('SIGINT', end)
    process.removeListener('SIGTERM', end)
  }
}
