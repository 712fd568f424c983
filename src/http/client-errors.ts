import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../observability/log.ts'
import { createProblems, type ProblemCode, problemDefinitions, problemType } from './problems.ts'
import { newRequestId } from './request-id.ts'
import { commonHeaders } from './response.ts'
import { endSlowReaders } from './slow-readers.ts'

/** For `http.createServer`. The app checks Host and sizes itself, so that its answers have a body; these limits are wider than its own. */
export const serverOptions = {
  requireHostHeader: false,
  maxHeaderSize: 64 * 1024,
  connectionsCheckingInterval: 5_000,
} as const satisfies ServerOptions

const timeouts = {
  /** All headers must have arrived. */
  headersTimeout: 15_000,
  /** The whole request must have arrived. */
  requestTimeout: 30_000,
  /** An idle connection is kept open this long; longer than the minute of most load balancers. */
  keepAliveTimeout: 65_000,
  /** A connection without any traffic is closed. */
  timeout: 120_000,
}

/** How long a refused connection may still send before it is cut: cutting it at once could discard the answer. */
const lingerMs = 1_000

const dropWarningMs = 10_000

/**
 * Prepares a server made with `serverOptions` for the open Internet: time limits, and answers to what the parser refuses.
 *
 * A message that is not HTTP never reaches the app; it is answered with a problem of the same shape as all others, and the connection
 * is closed.
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
    if (answered.has(socket)) return
    answered.add(socket)
    if (!socket.writable || error.code === 'ECONNRESET' || responseStarted(socket)) {
      socket.destroy()
      return
    }
    const code = problemOf(error)
    const requestId = newRequestId()
    // The error itself contains the packet, and the packet may contain a token: only its code is logged.
    const { status, title } = problemDefinitions[code]
    log.info({ request_id: requestId, status, reason: error.code }, 'refused a message')
    const body = problems.body(code, requestId)
    socket.end(rawResponse(status, title, { 'Content-Type': problemType }, requestId, body))
    socket.resume()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  })
}

export type HardenOptions = { docsUrl: string; log: Logger; maxConnections?: number }

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

type ParserError = Error & { code?: string }

/** The parser may report errors of one connection several times. */
const answered = new WeakSet<Socket>()

/** A response that has begun on this connection must not be interrupted; Node's own handler checks in the same way. */
function responseStarted(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return message?.headersSent ?? false
}

function problemOf(error: ParserError): ProblemCode {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  // The parser does not say whether it was the target or a header; the app does, for messages within the parser's wider limits.
  return error.code === 'HPE_HEADER_OVERFLOW' ? 'header_fields_too_large' : 'bad_request'
}

/** An answer as it is sent on a connection that is closed after it, to a request that no app sees. */
export function rawResponse(
  status: number,
  reason: string,
  special: Readonly<Record<string, string>>,
  requestId: string,
  body: string,
): string {
  const headers = {
    ...commonHeaders,
    'X-Request-Id': requestId,
    ...special,
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}\r\n${body}`
}
