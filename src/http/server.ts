import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../observability/log.ts'
import { createProblems, type ProblemCode, problemDefinitions, problemType } from './problems.ts'
import { commonHeaders, newRequestId } from './response.ts'

/** For `http.createServer`. These limits are wider than those of the app, whose answers have a body. */
export const serverOptions = {
  requireHostHeader: false,
  maxHeaderSize: 64 * 1024,
  connectionsCheckingInterval: 5_000,
} as const satisfies ServerOptions

/** Against clients that send slowly. Connections are kept longer than the minute of most load balancers. */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  timeout: 120_000,
}

/** How long a refused connection may still send before it is cut: cutting it at once could discard the answer. */
const lingerMs = 1_000

const dropWarningMs = 10_000

export type HardenOptions = { docsUrl: string; log: Logger; maxConnections?: number }

/**
 * Prepares a server made with `serverOptions` for the open Internet: time limits, and a problem as the answer to a message that is not
 * HTTP, which never reaches the app.
 *
 * @param options `maxConnections`: further connections are closed on arrival, before anything is read
 */
export function hardenServer(server: Server, options: HardenOptions): void {
  const { docsUrl, log, maxConnections } = options
  const problems = createProblems(docsUrl)
  Object.assign(server, timeouts)
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  warnOfDrops(server, log)
  endSlowReaders(server)

  // An expectation other than 100-continue may be ignored (RFC 9110 §10.1.1); Node's own answer would have no body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })

  server.on('clientError', (error: ParserError, socket: Socket) => {
    // The parser may report errors of one connection several times.
    if (refused.has(socket)) return
    refused.add(socket)
    if (!socket.writable || error.code === 'ECONNRESET' || responseOn(socket)?.headersSent) {
      socket.destroy()
      return
    }
    const code = problemOf(error)
    const requestId = newRequestId()
    // The error itself contains the packet, and the packet may contain a token: only its code is logged.
    const { status, title } = problemDefinitions[code]
    log.info({ request_id: requestId, status, reason: error.code }, 'refused a message')
    const body = problems.body(code, requestId)
    socket.end(rawResponse(status, title, requestId, body))
    socket.resume()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  })
}

/** Logs, at most once per `dropWarningMs`, that connections had to be closed on arrival. */
function warnOfDrops(server: Server, log: Logger): void {
  let [dropped, silentUntil] = [0, 0]
  server.on('drop', () => {
    dropped += 1
    if (Date.now() < silentUntil) return
    silentUntil = Date.now() + dropWarningMs
    log.warn({ dropped, most: server.maxConnections }, 'too many connections; new ones are closed')
    dropped = 0
  })
}

/** How fast a client must read a response: all of it in half a minute, longer for a long one. */
const reading = { stallTimeoutMs: 30_000, bytesPerSecond: 4_000, checkIntervalMs: 5_000 }

/**
 * Cuts connections whose client does not read its response. Node's `timeout` never cuts a client that reads a byte now and then: one
 * token could fill the memory with responses.
 */
export function endSlowReaders(server: Server, { stallTimeoutMs, bytesPerSecond, checkIntervalMs } = reading): void {
  const open = openSockets(server)
  /** What had been written to a connection that is behind, and its deadline. */
  const behind = new WeakMap<Socket, { written: number; until: number }>()
  const timer = setInterval(() => {
    const now = Date.now()
    for (const socket of open) {
      const { writableLength: pending, bytesWritten: written } = socket
      const known = behind.get(socket)
      if (pending === 0) behind.delete(socket)
      else if (known?.written !== written) {
        behind.set(socket, { written, until: now + stallTimeoutMs + (1000 * pending) / bytesPerSecond })
      } else if (now > known.until) socket.destroy()
    }
  }, checkIntervalMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** The pause between two looks at what is still open, in milliseconds. */
const turnMs = 20

/** How many looks an idle connection may still deliver a request that was in transit. */
const idleTurns = 15

/** How many looks a client may still finish sending a request when nothing else is left to do. */
const halfSentTurns = 50

/**
 * Watches a server so that it can be stopped without failing a request. Node's `close()` cuts idle connections at once, on which a
 * request may be in transit.
 *
 * The returned function stops accepting connections, tells every client by `Connection: close` that its connection ends with the
 * response, and resolves when all connections are gone; after `timeoutMs` the rest are cut. Call it before the first request.
 */
export function watchForDrain(server: Server): (timeoutMs: number) => Promise<void> {
  const open = openSockets(server)
  let draining = false
  const end = (response: ServerResponse | undefined) => {
    if (response?.headersSent === false) response.setHeader('Connection', 'close')
  }
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) end(response)
  })

  return async function drain(timeoutMs) {
    const until = Date.now() + timeoutMs
    // Closing the listener resets connections that are established and not yet accepted: one turn of the event loop accepts them.
    await nextTurn()
    draining = true
    TcpServer.prototype.close.call(server)
    for (const socket of open) end(responseOn(socket))
    // In turns of the event loop, not in time: a stalled process has not read what has arrived.
    for (let [turn, idle] = [0, 0]; open.size > 0 && idle < halfSentTurns && Date.now() < until; turn += 1) {
      if (turn >= idleTurns) server.closeIdleConnections()
      await sleep(turnMs)
      await nextTurn()
      idle = [...open].some(responseOn) ? 0 : idle + 1
    }
    server.closeAllConnections()
    server.close(() => undefined)
  }
}

/** How many connections clients have open; 0 when the server is closed. */
export function connectionCount(server: Server): Promise<number> {
  return new Promise((resolve) => server.getConnections((error, count) => resolve(error ? 0 : count)))
}

function openSockets(server: Server): ReadonlySet<Socket> {
  const open = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  return open
}

type ParserError = Error & { code?: string }

const refused = new WeakSet<Socket>()

/** The response under way on a connection. Node's own handler of parser errors looks there, too. */
function responseOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}

function problemOf(error: ParserError): ProblemCode {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  // The parser does not say whether it was the target or a header; the app does, for messages within the parser's wider limits.
  return error.code === 'HPE_HEADER_OVERFLOW' ? 'header_fields_too_large' : 'bad_request'
}

/** A problem as it is sent on a connection that is closed after it, to a request that no app sees. */
function rawResponse(status: number, title: string, requestId: string, body: string): string {
  const headers = {
    ...commonHeaders,
    'X-Request-Id': requestId,
    'Content-Type': problemType,
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`
}
