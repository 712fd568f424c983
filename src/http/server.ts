import { IncomingMessage, type Server, type ServerOptions, ServerResponse } from 'node:http'
import { type Socket, Server as TcpServer } from 'node:net'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from '../log.ts'
import { createProblems, type ProblemCode } from './problems.ts'
import { requestIdOf, setCommonHeaders } from './response.ts'

/** For `http.createServer`. The app has tighter limits, and answers them with a body. */
export const serverOptions = {
  requireHostHeader: false,
  maxHeaderSize: 64 * 1024,
  connectionsCheckingInterval: 5_000,
} as const satisfies ServerOptions

/** Against slow senders. Most load balancers keep connections a minute: longer here. */
const timeouts = {
  headersTimeout: 15_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 65_000,
  timeout: 120_000,
}

/** How long a refused connection may still send. Cutting it at once could discard the answer. */
const lingerMs = 1_000

const dropWarningMs = 10_000

/** The parser's errors; others mean a bad request. A long target looks like a long header. */
const codes: Readonly<Record<string, ProblemCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
  HPE_HEADER_OVERFLOW: 'header_fields_too_large',
}

/** Prepares a server with `serverOptions` and its listener for the Internet: sets limits, and
 * answers non-HTTP with a problem. Closes connections beyond `maxConnections`. Returns
 * `watchForDrain`'s function. */
export function hardenServer(
  server: Server,
  { docsUrl, log, maxConnections }: { docsUrl: string; log: Logger; maxConnections?: number },
): (timeoutMs: number) => Promise<void> {
  const problems = createProblems(docsUrl)
  const responsesOn = answerInTurn(server)
  Object.assign(server, timeouts)
  if (maxConnections !== undefined) server.maxConnections = maxConnections
  warnOfDrops(server, log)
  endSlowReaders(server)

  // Ignores any expectation but 100-continue (RFC 9110 §10.1.1). Node's answer has no body.
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response)
  })

  // The parser may report several errors of one connection.
  const refused = new WeakSet<Socket>()
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (refused.has(socket)) return
    refused.add(socket)
    const [begun] = responsesOn(socket)
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
    // Logs only the code: the error contains the packet, which may contain a token.
    const refusal = { request_id: requestIdOf(response), status: response.statusCode, reason: error.code }
    log.info(refusal, 'refused a message')
    socket.resume()
    setTimeout(() => socket.destroy(), lingerMs).unref()
  })
  return watchForDrain(server, responsesOn)
}

/** Logs dropped connections, at most once per `dropWarningMs`. */
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

/** A client must read a response within half a minute, or at this rate if that takes longer. */
const reading = { stallTimeoutMs: 30_000, bytesPerSecond: 4_000, checkIntervalMs: 5_000 }

/** Cuts clients that read too slowly, which Node's `timeout` would spare. */
export function endSlowReaders(server: Server, { stallTimeoutMs, bytesPerSecond, checkIntervalMs } = reading): void {
  const open = openSockets(server)
  /** The bytes written so far to a slow connection, and its deadline. */
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

/** The pause between two checks of what is still open, in milliseconds. */
const turnMs = 20

/** For how many checks an idle connection may still deliver a request that was in transit. */
const idleTurns = 15

/** For how many checks a client may still finish sending a request when nothing else is left. */
const halfSentTurns = 50

/** Watches a server from its first request on. The returned function stops it without failing a
 * request; Node's `close()` would cut idle connections on which one may be in transit. It
 * resolves when all connections are gone, and cuts them after `timeoutMs`. */
function watchForDrain(server: Server, responsesOn: ReturnType<typeof answerInTurn>) {
  const open = openSockets(server)
  let draining = false
  const end = (response: ServerResponse | undefined) => {
    if (response?.headersSent === false) response.setHeader('Connection', 'close')
  }
  server.prependListener('request', (_request, response: ServerResponse) => {
    if (draining) end(response)
  })

  return async function drain(timeoutMs: number): Promise<void> {
    const until = Date.now() + timeoutMs
    // One turn of the event loop accepts established connections, which closing would reset.
    await nextTurn()
    draining = true
    TcpServer.prototype.close.call(server)
    for (const socket of open) end(responsesOn(socket).at(-1))
    // Counts turns of the event loop, not time: a stalled process has not read what has arrived.
    for (let [turn, idle] = [0, 0]; open.size > 0 && idle < halfSentTurns && Date.now() < until; turn += 1) {
      if (turn >= idleTurns) server.closeIdleConnections()
      await sleep(turnMs)
      await nextTurn()
      idle = [...open].some((socket) => responsesOn(socket).length > 0) ? 0 : idle + 1
    }
    server.closeAllConnections()
    server.close(() => undefined)
  }
}

/** The number of open client connections; 0 when the server is closed. */
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

/** Answers one request of a connection after the other, and those of all connections in turns: a
 * client that sends many at once (pipelining) waits for itself. Returns a function that finds the
 * unfinished responses on a connection: the first is under way, and the others wait. */
function answerInTurn(server: Server): (socket: Socket) => readonly ServerResponse[] {
  const [handle] = server.listeners('request')
  const lines = new WeakMap<Socket, ServerResponse[]>()
  server.removeAllListeners('request')
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    const line = lines.get(socket) ?? []
    lines.set(socket, line)
    response.once('close', () => {
      line.shift()
      const [next] = line
      if (next !== undefined && !socket.destroyed) setImmediate(() => handle?.(next.req, next))
    })
    if (line.push(response) === 1) handle?.(response.req, response)
  })
  return (socket) => lines.get(socket) ?? []
}
