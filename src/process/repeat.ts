import { setTimeout as sleep } from 'node:timers/promises'

/** What a repeated work tells of its failures. */
export type Reports = {
  /** It has failed; is called once for failures in a row. */
  failed(error: unknown): void
  /** It has succeeded after a failure. */
  recovered?(): void
}

/**
 * Does some work now and again, with a pause in between, until the returned function is called; that waits for work under way.
 * A failure ends nothing. Never keeps the process alive.
 */
export function repeat(
  work: () => Promise<void>,
  pauseMs: number,
  { failed, recovered }: Reports,
): () => Promise<void> {
  const stopping = new AbortController()
  let failing = false

  async function once(): Promise<void> {
    try {
      await work()
      if (failing) recovered?.()
      failing = false
    } catch (error) {
      if (!failing) failed(error)
      failing = true
    }
  }

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      await once()
      await sleep(pauseMs, undefined, { ref: false, signal: stopping.signal }).catch(() => undefined)
    }
  }

  const looping = loop()
  return async () => {
    stopping.abort()
    await looping
  }
}
