import type { ServerResponse } from 'node:http'
import { jsonType, send } from './response.ts'

/** Whether the service can answer: the newest migration in its database, or why not. */
export type Readiness = { ready: true; schemaVersion: string } | { ready: false; reason: string }

/** Answers 200 or 503. A failed check means not ready. */
export async function sendReadiness(response: ServerResponse, ready: () => Promise<Readiness>): Promise<void> {
  const state = await ready().catch((): Readiness => ({ ready: false, reason: 'the readiness check failed' }))
  const [status, body] = state.ready
    ? [200, { status: 'ready', schema_version: state.schemaVersion }]
    : [503, { status: 'unavailable', reason: state.reason }]
  send(response, status, jsonType, JSON.stringify(body))
}
