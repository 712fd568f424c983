import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Logger } from '../observability/log.ts'
import { createProblems, type ProblemCode, problemDefinitions, problemType } from './problems.ts'
import { newRequestId } from './request-id.ts'
import { standingHeaders } from './response.ts'
import { endSlowReaders } from './slow-readers.ts'

/** For `http.createServer`. The app checks Host and sizes itself, so that its answers have a body; these limits lie behind its own. */
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
  /** An idle connection is kept; longer than the minute of most load balancers. */
  keepAliveTimeout: 65_000,
  /** A connection on which nothing moves is closed. */
  timeout: 120_000,
}

/** How long a refused connection may still send before it is cut: cutting it at once could take the answer back. */
const lingerMs = 1_000

const dropWarningMs = 10_000

/**
 * Prepares a server made with `serverOptions` for the open Internet: time limits, and answers to what the parser refuses.
 *
 * A message that is not HTTP never reaches the app; it is answered with a problem of the same shape as all others, and the connection
 * is closed.
 *
 * @param options `maxConnections`: a connection beyond them is closed as it comes, before anything is read
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
    if (!socket.writable || error.code === 'ECONNRESET' || answerUnderWay(socket)) {
      socket.destroy()
      return
    }
    const code = problemOf(error)
    const requestId = newRequestId()
    // The error itself holds the packet, and the packet may hold a token: only its code is logged.
    log.info(
      { request_id: requestId, status: problemDefinitions[code].status, reason: error.code },
      'refused a message',
    )
    socket.end(rawResponse(code, requestId, problems.body(code, requestId)))
    socket.resume()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  })
}

export type HardenOptions = { docsUrl: string; log: Logger; maxConnections?: number }

/** Says once in a while that connections had to be closed as they came. */
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

/** The parser may complain of one connection several times. */
const answered = new WeakSet<Socket>()

/** An answer that has begun on this connection must not be cut into; Node's own handler asks in the same way. */
function answerUnderWay(socket: Socket): boolean {
  const { _httpMessage: message } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return message?.headersSent ?? false
}

function problemOf(error: ParserError): ProblemCode {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return 'request_timeout'
  // The parser does not say whether it was the target or a header; the app does, for all that is less than enormous.
  return error.code === 'HPE_HEADER_OVERFLOW' ? 'header_fields_too_large' : 'bad_request'
}

function rawResponse(code: ProblemCode, requestId: string, body: string): string {
  const { status, title } = problemDefinitions[code]
  const headers = {
    ...standingHeaders,
    'X-Request-Id': requestId,
    'Content-Type': problemType,
    'Content-Length': String(Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`
}
