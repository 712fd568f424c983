import { IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { createProblems, type ProblemCode } from './problems.ts'
import { requestIdOf, setCommonHeaders } from './response.ts'

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

/** What the parser reports; anything else is a bad request. It does not tell a target that is too long from a header. */
const codes: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
}

/**
 * Prepares a server made with `serverOptions` for the open Internet: limits, and a problem for what is not HTTP, which no app sees.
 * Connections beyond `maxConnections` are closed on arrival. Returns what `watchForDrain` returns.
 */
export function hardenServer(
  server: Server,
  { docsUrl, log, maxConnections }: { docsUrl: string; log: Logger; maxConnections?: number },
): (timeoutMs: number) => Promise<void> {
  const problems = createProblems(docsUrl)
  Object.assign(server, timeouts)
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  warnOfDrops(server, log)
  endSlowReaders(server)

  // An expectation other than 100-continue may be ignored (RFC 9110 §10.1.1); Node's own answer would have no body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })

  // The parser may report errors of one connection several times.
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (refused.has(socket)) return
    refused.add(socket)
    const begun = responseOn(socket)
    if (!socket.writable || error.code === 'ECONNRESET' || begun?.headersSent) return void socket.destroy()
    if (begun) {
      begun.detachSocket(socket)
      socket.once('close', () => begun.emit('close'))
    }
    const response = new ServerResponse(new IncomingMessage(socket))
    response.assignSocket(socket)
    response.shouldKeepAlive = false
    response.once('finish', () => socket.end())
    setCommonHeaders(response)
    problems.send(response, codes[error.code ?? ''] ?? 'bad_request')
    // The error itself contains the packet, and the packet may contain a token: only its code is logged.
    const refusal = { request_id: requestIdOf(response), status: response.statusCode, reason: error.code }
    log.info(refusal, 'refused a message')
    socket.resume()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  })
  return watchForDrain(server)
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

/** Cuts clients that do not read. Node's `timeout` never cuts one that reads a byte now and then: responses would fill the memory. */
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
 * Watches a server from its first request on. The returned function stops it without failing one: Node's `close()` cuts idle connections,
 * on which a request may be in transit. It resolves when all connections are gone, and cuts them after `timeoutMs`.
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

/** The response under way on a connection. Node's own handler of parser errors looks there, too. */
function responseOn(socket: Socket): ServerResponse | undefined {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined
}
