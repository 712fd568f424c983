import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { PoolStats } from '../../database/pool.ts'
import { messageOf } from '../../domain/error.ts'
import { takeConnections } from '../../http/accepted-elsewhere.ts'
import type { Measured } from '../../http/observation.ts'
import { connectionCount } from '../../http/server.ts'
import { type Logger, makeLogger } from '../../observability/log.ts'
import { endWithParent, sendToParent } from '../parent.ts'
import { type GraphqlOptions, type GraphqlServer, openGraphql } from './server.ts'

/** What the process is given first. */
export type ChildOptions = {
  options: GraphqlOptions
  logLevel: string
  /** Whether to report its requests and its pool. */
  watched: boolean
  /** After how long without a connection it says that it is idle, in milliseconds. */
  idleMs: number
}

/** The messages of the parent: the options, then a connection each, which comes with the message, and the end. */
export type ParentMessage = ChildOptions | { connection: number } | 'close'

/**
 * The messages of the process. `taking`: it takes connections from now on; of a connection: whether a request on it waits for
 * its answer, and that it is closed.
 */
export type ChildMessage =
  | 'taking'
  | 'idle'
  | { measured: Measured }
  | { pool: PoolStats }
  | { connection: number; state: 'asked' | 'answering' | 'closed' }

/** How often the state of the pool is reported, in milliseconds. */
const reportEveryMs = 1_000

/** For how long the first connections wait for the schema; later they are answered with 503, in milliseconds. */
const schemaTimeoutMs = 10_000

const post = sendToParent<ChildMessage>

/** The connections by the numbers that the parent knows them by. */
const connections = new WeakMap<Socket, number>()

let take: ((socket: Socket) => void) | undefined
let opened: GraphqlServer | undefined
let ending: Promise<void> | undefined

process.on('message', (message: ParentMessage, socket: Socket | undefined) => {
  if (message === 'close') return end()
  if (!('connection' in message)) return void open(message)
  const { connection } = message
  // Undefined when its client left on the way.
  if (!socket || !take) return post({ connection, state: 'closed' })
  connections.set(socket, connection)
  socket.once('close', () => post({ connection, state: 'closed' }))
  take(socket)
})
// Without a parent nobody hands over connections any more.
endWithParent(end)

async function open({ options, logLevel, watched, idleMs }: ChildOptions): Promise<void> {
  const log = makeLogger({ level: logLevel, unbuffered: true })
  endOnErrors(log)
  const measure = (measured: Measured) => {
    if (watched && measured.route === '/graphql') post({ measured })
  }
  const graphql = await openGraphql(options, log, measure)
  opened = graphql
  if (ending) return
  graphql.server.prependListener('request', reportRequest)
  take = takeConnections(graphql.server)
  if (watched) setInterval(() => post({ pool: graphql.pool.stats() }), reportEveryMs).unref()
  await graphql.settled(schemaTimeoutMs)
  post('taking')
  reportIdle(graphql, idleMs)
}

/** Says when a request waits for its answer, and when the answer begins: whoever would have got one gets a 503 if this process fails. */
function reportRequest({ socket }: IncomingMessage, response: ServerResponse): void {
  const connection = connections.get(socket)
  if (connection === undefined) return
  post({ connection, state: 'asked' })
  const { writeHead } = response
  response.writeHead = (...args: never[]) => {
    post({ connection, state: 'answering' })
    return writeHead.apply(response, args as never)
  }
}

function reportIdle({ server }: GraphqlServer, idleMs: number): void {
  let lastBusy = Date.now()
  const check = async () => {
    if ((await connectionCount(server)) > 0) lastBusy = Date.now()
    else if (Date.now() - lastBusy >= idleMs) post('idle')
  }
  setInterval(check, Math.min(idleMs, 30_000)).unref()
}

function endOnErrors(log: Logger): void {
  const breakDown = (error: unknown) => {
    log.fatal({ reason: messageOf(error) }, 'unhandled error in the GraphQL process')
    process.exit(1)
  }
  process.on('uncaughtException', breakDown)
  process.on('unhandledRejection', breakDown)
}

function end(): void {
  ending ??= (opened?.close() ?? Promise.resolve()).finally(() => process.exit(0))
}
