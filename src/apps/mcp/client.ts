import { setTimeout as sleep } from 'node:timers/promises'
import { prefix } from '../../api/operations.ts'
import { messageOf } from '../../domain/error.ts'
import { ToolFailure } from './failures.ts'
import type { Get } from './get.ts'

/** How long an answer may take, in milliseconds. */
const timeoutMs = 30_000

/** The address of a service as somebody may write it, without `/v1` and without a slash at the end. */
export function serviceAddress(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '')
}

/**
 * Sends requests to a service over HTTP.
 *
 * @param url its address, with `/v1` or without
 */
export function overHttp(url: string, token: string): Get {
  const address = serviceAddress(url)
  return async (path, signal) => {
    try {
      const response = await fetch(address + prefix + path, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
        // A redirect would send the token to another server.
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
      })
      const { status, headers } = response
      return { status, body: jsonOf(await response.text()), header: (name) => headers.get(name) }
    } catch (error) {
      throw new ToolFailure(
        `The service at ${address} could not be reached (${reasonOf(error)}): ask the user to check that it runs, and the --url that this server was started with.`,
      )
    }
  }
}

/** Of what failed below `fetch`. Where a name has several addresses, that has a code, but no message. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown }
  return messageOf(cause) || String((cause as { code?: unknown }).code)
}

/** JSON, or undefined when the text is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A quota of a second is worth waiting for; one of a minute is not. */
const longestWaitSeconds = 2

/** As `get`, for many requests in succession: where the quota of this second is used up, it waits for the next. */
export function withBackoff(get: Get): Get {
  return async (path, signal) => {
    for (;;) {
      const reply = await get(path, signal)
      const wait = Number(reply.header('retry-after'))
      if (reply.status !== 429 || !(wait > 0 && wait <= longestWaitSeconds)) return reply
      await sleep(wait * 1000, undefined, { signal })
    }
  }
}
