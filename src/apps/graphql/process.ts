import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PoolStats } from '../../database/pool.ts'
import { listen } from '../../http/listener.ts'
import type { Measured } from '../../http/observation.ts'
import { jsonType, newRequestId } from '../../http/response.ts'
import { rawResponse } from '../../http/server.ts'
import type { Logger } from '../../observability/log.ts'
import { forkModule, sendTo } from '../child.ts'
import type { ChildMessage, ParentMessage } from './child.ts'
import type { GraphqlOptions } from './server.ts'
import { unavailable } from './unavailable.ts'

/**
 * How much memory JavaScript in the process may use before it is ended and restarted, in megabytes: for itself, and for each
 * query that runs at a time. The limits of a query (`limits.values`, `limits.answerBytes`) are such that it needs less.
 */
const memoryMb = { itself: 192, query: 80 }

/** Backoff before a process that ended is replaced, in milliseconds. */
const backoffMs = [500, 1_000, 5_000, 30_000]

/** A process that ran for this long resets the backoff. */
const stableAfterMs = 60_000

/** How long a process may take to end beyond the time for requests in flight, in milliseconds. */
const killAfterMs = 3_000

/** After how long without a connection the process is ended, until somebody connects again, in milliseconds. */
const endIdleAfterMs = 15 * 60_000

/** For how long a connection waits for the process before it is answered with 503, in milliseconds. */
const longestWaitMs = 20_000

/** How many connections wait for the process; further ones are closed on arrival. */
const maxWaiting = 200

/** How long a client may take to read the 503 before its connection is cut, in milliseconds. */
const lingerMs = 1_000

export type GraphqlProcess = {
  /** The port that is listened on. */
  port: number
  /** The id of the process; undefined while there is none. */
  pid(): number | undefined
  /** The state of its pool, at most a second old; zeros while there is no process. */
  poolStats(): PoolStats
  close(): Promise<void>
}

export type ProcessOptions = {
  host: string
  port: number
  options: GraphqlOptions
  logLevel: string
  log: Logger
  /** Counts its requests in the metrics. */
  measure?: ((request: Measured) => void) | undefined
  file?: URL
  idleMs?: number
  waitMs?: number
}

/**
 * The process that takes connections, or will; `handed`: those that it has, by their numbers. They stay open here too, unread, so
 * that whoever waits for an answer when the process fails gets a 503.
 */
type Current = { child: ChildProcess; isTaking: boolean; handed: Map<number, { socket: Socket; waits: boolean }> }

const noPool: PoolStats = { size: 0, idle: 0, waiting: 0, refused: 0 }

/** Beside this file, with the same extension: TypeScript in a checkout, JavaScript in an installed package. */
const childFile = new URL(`child${extname(import.meta.url)}`, import.meta.url)

/**
 * Listens for GraphQL, and starts a process of its own for it when somebody connects: queries take long to plan and analysts
 * write them, and neither their CPU time nor an error or a lack of memory there may affect the API, nor what nobody uses its
 * memory. This process only accepts connections and hands them over unread; they wait while that one starts. One that fails is
 * replaced; one that nobody is connected to any more is ended.
 *
 * @throws ListenError
 */
export async function startGraphql(given: ProcessOptions): Promise<GraphqlProcess> {
  const { host, port, options, logLevel, log, measure } = given
  const { file = childFile, idleMs = endIdleAfterMs, waitMs = longestWaitMs } = given
  /** Connections that wait for the process, and what ends their waiting. */
  const waiting = new Map<Socket, NodeJS.Timeout>()
  /** Every process that has not ended: the current one, and idle ones that are ending. */
  const running = new Set<ChildProcess>()
  let current: Current | undefined
  let closing = false
  /** How often in a row it failed, and whether it is about to be started again. */
  let failures = 0
  let isDue = false
  let pool = noPool

  const acceptor = createServer({ pauseOnConnect: true }, (socket) => {
    if (current?.isTaking) return handOver(current, socket)
    if (closing || waiting.size >= maxWaiting) return void socket.destroy()
    // A reset: whoever takes the connection notices.
    socket.on('error', () => undefined)
    waiting.set(
      socket,
      setTimeout(() => giveUp(socket), waitMs),
    )
    if (current === undefined && !isDue) start()
  })

  function giveUp(socket: Socket): void {
    clearTimeout(waiting.get(socket))
    waiting.delete(socket)
    refuse(socket)
  }

  function start(): void {
    const startedAt = performance.now()
    // No variable (DEBUG) can make a library print statements.
    const child = forkModule(file, {
      memoryMb: memoryMb.itself + memoryMb.query * options.config.graphql.poolSize,
      env: { GRAPHILE_ENV: 'production' },
    })
    const mine: Current = { child, isTaking: false, handed: new Map() }
    current = mine
    running.add(child)
    sendTo<ParentMessage>(child, { options, logLevel, watched: measure !== undefined, idleMs })
    child.on('message', (message: ChildMessage) => {
      if (message === 'taking') {
        mine.isTaking = true
        log.info({ pid: child.pid, duration_ms: Math.round(performance.now() - startedAt) }, 'GraphQL process started')
        for (const [socket, timer] of waiting) {
          clearTimeout(timer)
          handOver(mine, socket)
        }
        waiting.clear()
      } else if (message === 'idle') {
        if (current !== mine) return
        current = undefined
        pool = noPool
        failures = 0
        sendTo<ParentMessage>(child, 'close')
        log.info({ pid: child.pid }, 'GraphQL process ended until somebody connects')
      } else if ('connection' in message) follow(mine, message)
      else if ('measured' in message) measure?.(message.measured)
      else if (current === mine) pool = message.pool
    })
    let hasEnded = false
    const ended = (reason: object) => {
      if (hasEnded) return
      hasEnded = true
      running.delete(child)
      for (const { socket, waits } of mine.handed.values()) {
        if (waits) refuse(socket)
        else socket.destroy()
      }
      if (current !== mine) return
      current = undefined
      pool = noPool
      if (closing) return
      if (performance.now() - startedAt > stableAfterMs) failures = 0
      const delay = backoffMs[Math.min(failures++, backoffMs.length - 1)]
      isDue = true
      log.error({ pid: child.pid, ...reason, backoff_ms: delay }, 'the GraphQL process failed and is restarted')
      void sleep(delay, undefined, { ref: false }).then(() => {
        isDue = false
        if (!closing) start()
      })
    }
    child.once('exit', (code, signal) => ended({ code, signal }))
    child.once('error', ({ message }) => ended({ reason: message }))
  }

  // Each connection stays open here as well; further ones are closed on arrival.
  acceptor.maxConnections = options.config.maxConnections
  const listening = await listen(acceptor, host, port, 'GRAPHQL_PORT', log)
  log.info({ host, port: listening }, 'GraphQL is listening')
  return {
    port: listening,
    pid: () => current?.child.pid,
    poolStats: () => pool,
    async close() {
      closing = true
      acceptor.close()
      for (const socket of [...waiting.keys()]) giveUp(socket)
      const children = [...running]
      const gone = Promise.all(children.map((child) => once(child, 'exit')))
      for (const child of children) sendTo<ParentMessage>(child, 'close')
      const timeoutMs = options.config.shutdownTimeoutMs + killAfterMs
      await Promise.race([gone, sleep(timeoutMs, undefined, { ref: false })])
      for (const child of running) child.kill('SIGKILL')
    },
  }
}

let handedOver = 0

/** Hands a connection over. Until the process says otherwise, somebody waits on it. */
function handOver({ child, handed }: Current, socket: Socket): void {
  if (!child.connected) return void socket.destroy()
  const connection = ++handedOver
  socket.on('error', () => undefined)
  handed.set(connection, { socket, waits: true })
  child.send({ connection } satisfies ParentMessage, socket, { keepOpen: true }, () => undefined)
}

/** A process has asked for, begun or ended what is on a connection. */
function follow({ handed }: Current, { connection, state }: Extract<ChildMessage, { connection: number }>): void {
  const known = handed.get(connection)
  if (known === undefined) return
  known.waits = state === 'asked'
  if (state !== 'closed') return
  handed.delete(connection)
  known.socket.destroy()
}

/** Answers a connection whose request has not been read. */
function refuse(socket: Socket): void {
  const { status, message, headers } = unavailable
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'unavailable' } }] })
  const text = rawResponse(
    status,
    'Service Unavailable',
    { ...headers, 'Content-Type': jsonType },
    newRequestId(),
    body,
  )
  socket.end(text)
  socket.resume()
  setTimeout(() => socket.destroy(), lingerMs).unref()
}
