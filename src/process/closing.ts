import { setTimeout as sleep } from 'node:timers/promises'

/** What has to be done at the end, in the order of opening. */
export type Closers = (() => unknown)[]

/** The last opened is closed first; one that fails does not keep the others open. */
export async function closeAll(closers: Closers): Promise<void> {
  let failure: unknown
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    try {
      await closer()
    } catch (error) {
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
}

/** Waits for something, but not for long. */
export async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, sleep(milliseconds, undefined, { ref: false })])
}
