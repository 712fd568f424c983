import type { Server, ServerResponse } from 'node:http'
import { Server as TcpServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenResponses } from './open-responses.ts'

/** How long an idle keep-alive connection may still deliver a request that was in transit, in milliseconds. */
const graceMs = 300

/** How long a client may still finish sending a request when nothing else is left to do, in milliseconds. */
const halfSentTimeoutMs = 1_000

const step = 20

/**
 * Watches a server's responses so that it can be stopped without failing a request.
 *
 * The returned function stops accepting connections, tells every client by `Connection: close` that its connection ends
 * with the response, and resolves when all connections are gone; after `timeoutMs` the rest are cut. Call it before the
 * server takes its first request.
 */
export function watchForDrain(server: Server): (timeoutMs: number) => Promise<void> {
  const open = new OpenResponses()
  let draining = false

  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) response.setHeader('Connection', 'close')
    open.add(response)
    response.once('close', () => open.delete(response))
  })

  return async function drain(timeoutMs) {
    draining = true
    // The HTTP server's own close() also cuts idle connections at once, on which the next request may be in transit.
    TcpServer.prototype.close.call(server)
    for (const response of open) if (!response.headersSent) response.setHeader('Connection', 'close')

    const start = Date.now()
    let lastBusy = start
    while ((await connectionCount(server)) > 0) {
      const now = Date.now()
      if (open.size > 0) lastBusy = now
      if (now - start >= timeoutMs || now - lastBusy >= halfSentTimeoutMs) break
      if (now - start >= graceMs) server.closeIdleConnections()
      await sleep(step)
    }
    server.closeAllConnections()
    server.close(() => undefined)
  }
}

/** How many connections clients have open; 0 when the server is closed. */
export function connectionCount(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}
