import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { prefix } from '../../api/operations.ts'
import { serverOptions } from '../../http/server.ts'
import { jsonOf } from './client.ts'
import type { Get } from './get.ts'

/** What a request of a tool takes over from the request that brought the call: who asks, from where, and its trace. */
const passedOn = ['authorization', 'host', 'x-forwarded-for', 'x-forwarded-proto', 'traceparent'] as const

/**
 * Sends requests to the service that this process is. They are real ones, over connections in memory: they pass everything that a
 * request from outside passes, and are counted, logged and recorded like it, under the address of the caller.
 *
 * @param app what answers the requests of the service
 * @returns makes, for the request that brought a call, what sends requests in its caller's name
 */
export function inProcess(app: RequestListener): (caller: IncomingMessage) => Get {
  // It listens nowhere: the only connections are those that are handed to it here, whose other end never stalls.
  const server = createServer(serverOptions, app)

  return (caller) => {
    const headers: Record<string, string> = { accept: 'application/json' }
    for (const name of passedOn) {
      const value = caller.headers[name]
      if (value !== undefined) headers[name] = String(value)
    }
    const { remoteAddress } = caller.socket
    return (path, signal) =>
      new Promise((resolve, reject) => {
        const [ours, its] = duplexPair()
        server.emit('connection', Object.assign(its, { remoteAddress }))
        request({ createConnection: () => ours, path: prefix + path, headers, signal }, async (response) => {
          const { statusCode: status = 0 } = response
          const header = (name: string) => response.headers[name]?.toString() ?? null
          text(response).then((body) => resolve({ status, body: jsonOf(body), header }), reject)
        })
          .on('error', reject)
          .end()
      })
  }
}
