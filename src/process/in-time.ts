import { setTimeout as sleep } from 'node:timers/promises'

/** How long a part may take to close, in milliseconds. */
const closeTimeoutMs = 3_000

/** Waits for a part to close, up to a timeout. */
export async function inTime(closing: Promise<unknown> | undefined): Promise<void> {
  await Promise.race([closing, sleep(closeTimeoutMs, undefined, { ref: false })])
}
