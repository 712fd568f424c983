import type { IncomingMessage, RequestListener } from 'node:http'
import inject from 'light-my-request'
import { prefix } from '../../api/operations.ts'
import type { Ask } from './ask.ts'
import { jsonOf } from './client.ts'

/** What a request of a tool takes over from the request that brought the call: who asks, from where, and its trace. */
const passedOn = ['authorization', 'host', 'x-forwarded-for', 'x-forwarded-proto', 'traceparent'] as const

/**
 * Asks the service that this process is, without a connection: the request passes everything that one from outside passes, and is
 * counted, logged and recorded like it, under the address of the caller.
 *
 * @param app what answers the requests of the service
 * @param caller the request that brought the call
 */
export function inProcess(app: RequestListener, caller: IncomingMessage): Ask {
  const headers: Record<string, string> = { accept: 'application/json' }
  for (const name of passedOn) {
    const value = caller.headers[name]
    if (value !== undefined) headers[name] = String(value)
  }
  const remoteAddress = caller.socket.remoteAddress ?? ''
  return async (path, signal) => {
    const response = await inject(app, {
      method: 'GET',
      url: prefix + path,
      headers,
      remoteAddress,
      ...(signal && { signal }),
    })
    const header = (name: string) => {
      const value = response.headers[name]
      return value === undefined ? null : String(value)
    }
    return { status: response.statusCode, body: jsonOf(response.payload), header }
  }
}
