import type { ServerResponse } from 'node:http'
import { jsonType, send } from './response.ts'

/** Whether the service can answer: the newest migration in its database, or why not. */
export type Readiness = { ready: true; schemaVersion: string } | { ready: false; reason: string }

/** How old a remembered result may be, in milliseconds. */
const maxAgeMs = 1_000

/** Shares a running check, and its result for a second, however often clients ask. */
export function rememberReadiness(
  check: () => Promise<Readiness>,
  now: () => number = performance.now.bind(performance),
): () => Promise<Readiness> {
  let last: { at: number; result: Promise<Readiness> } | undefined
  return () => {
    // The second begins when the check ends, so that a slow one does not run again at once.
    if (last !== undefined && now() - last.at < maxAgeMs) return last.result
    const mine = { at: Number.POSITIVE_INFINITY, result: check() }
    const ended = () => {
      mine.at = now()
    }
    mine.result.then(ended, ended)
    last = mine
    return mine.result
  }
}

/** Answers 200 or 503. A failed check means not ready. */
export async function sendReadiness(response: ServerResponse, ready: () => Promise<Readiness>): Promise<void> {
  const state = await ready().catch((): Readiness => ({ ready: false, reason: 'the readiness check failed' }))
  const [status, body] = state.ready
    ? [200, { status: 'ready', schema_version: state.schemaVersion }]
    : [503, { status: 'unavailable', reason: state.reason }]
  send(response, status, jsonType, JSON.stringify(body))
}
