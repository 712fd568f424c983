import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, vi } from 'vitest'
import { createCache } from '../../src/api/cache.ts'
import { createReading } from '../../src/api/read.ts'
import { createLimiter, type Limiter } from '../../src/auth/limiter.ts'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import type { OperationRow } from '../../src/database/operation-row.ts'
import type { Activity } from '../../src/http/request-log.ts'
import { metaText } from '../../src/http/response.ts'
import { hardenServer, serverOptions } from '../../src/http/server.ts'
import { makeLogger } from '../../src/log.ts'
import { type AppDependencies, createApp } from '../../src/service/rest-app.ts'
import { exchange } from '../support/client.ts'
import { fakePool } from '../support/fake-pool.ts'

export const docsUrl = 'https://docs.example.com/api'
export const itemId = '0d9f3b52-6c1e-4f5a-9a55-1d2f3c4b5a69'
export const tokenId = '7b0a4d3e-1f2c-4b5a-8d6e-9f0a1b2c3d4e'
const studioId = '3d7e2f5b-0c55-4a4e-8f0a-6e2a0c1c9d11'

/** A statement that reached the handle. */
export type Query = { name: string; text: string; values: unknown[] }

/** What the handle answers: a row, or an error to throw. */
export type Behaviour = (query: Query) => Partial<OperationRow> | Error | Promise<Partial<OperationRow> | Error>

/** What to send on a socket: latin1 text or bytes; or a pattern to wait for. */
type Piece = string | Buffer | RegExp

export type Reply = { status: number; headers: IncomingHttpHeaders; rawHeaders: string[]; body: string }

export type RunningApp = {
  port: number
  queries: Query[]
  activities: Activity[]
  log: () => string
  limiter: Limiter
  /** The database handle answers with this from now on. */
  answer(behaviour: Behaviour): void
  get(
    path: string,
    options?: { token?: string | null; method?: string; headers?: Record<string, string | string[]> },
  ): Promise<Reply>
  /** The same, with the body as it came. */
  bytes(...request: Parameters<RunningApp['get']>): Promise<Omit<Reply, 'body'> & { bytes: Buffer }>
  /** Sends bytes; what follows a pattern is sent when it matches what has come back. Returns all
   * that comes until the server closes or `waitMs` have passed. */
  raw(bytes: Piece | Piece[], waitMs?: number): Promise<string>
  close(): Promise<void>
}

export const emptyList: Partial<OperationRow> = { status: 200, total: '0', data: '' }

/** `access.authenticate_batch()` says this about the only token of a batch. */
function ofBatch({ status, token_id, studio_id, plan_tier, version, watermark }: Partial<OperationRow>): string {
  const token = [status, token_id, studio_id, plan_tier, version]
  return JSON.stringify({ state: null, watermark, tokens: [token] })
}

/** Runs the real app on a real server; only the database handle is a stand-in, which writes down
 * every statement. */
export async function startApp({ config, ...overrides }: Overrides = {}): Promise<RunningApp> {
  const queries: Query[] = []
  const activities: Activity[] = []
  const lines: string[] = []
  let behaviour: Behaviour = () => emptyList
  const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
  const limiter =
    overrides.limiter ?? (await createLimiter({ rateLimits: overrides.limits ?? generous, redisUrl: undefined }, log))
  const api = fakePool(async ({ name = '', text, values }) => {
    // Tells tokens from guesses, and reads no data: none has been issued.
    if (name === 'access.token_prefixes') return [{ prefixes: Buffer.alloc(0), next_since: 'now' }]
    queries.push({ name, text, values })
    const answer = await behaviour({ name, text, values })
    if (answer instanceof Error) throw answer
    const blank = {
      token_id: answer.status === 401 ? null : tokenId,
      plan_tier: 'studio',
      total: null,
      data: null,
      photo_keys: null,
      studio_id: answer.status === 401 ? null : studioId,
      version: null,
      last_at: null,
      last_id: null,
      has_more: null,
      watermark: null,
    }
    const row = { ...blank, ...answer }
    return [name === 'access.authenticate_batch' ? { result: ofBatch(row) } : row]
  })
  const listener = createApp({
    config: {
      publicUrl: 'https://api.example.com',
      docsUrl,
      rateLimits: generous,
      trustProxy: false,
      cors: true,
      ...config,
    },
    log,
    reading: createReading({
      pools: { api, authentication: api, allItems: api },
      cache: createCache(1_000_000, metaText(docsUrl)),
      record: (activity) => void activities.push(activity),
    }),
    limiter,
    secretKeys: 'a secret key for tests, known to everybody',
    signer: { sign: async (key) => `https://photos.example.com/${key}` },
    ready: async () => ({ ready: true, schemaVersion: '000001.sql' }),
    ...overrides,
  })
  const server = createServer(serverOptions, listener)
  hardenServer(server, { docsUrl, log })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    queries,
    activities,
    limiter,
    log: () => lines.join(''),
    answer: (next) => {
      behaviour = next
    },
    async get(path, options) {
      const { bytes, ...reply } = await send(port, path, options)
      return { ...reply, body: bytes.toString() }
    },
    bytes: (path, options) => send(port, path, options),
    raw: (bytes, waitMs) => sendRaw(port, bytes, waitMs),
    async close() {
      server.close()
      server.closeAllConnections()
      limiter.close()
    },
  }
}

/** Gives the test file an app without queries, which answers with an empty list. Call it at the
 * top. */
export function useApp(overrides: Overrides = {}): RunningApp {
  const app = {} as RunningApp
  beforeAll(async () => void Object.assign(app, await startApp(overrides)))
  afterAll(() => app.close())
  beforeEach(() => {
    app.queries.length = 0
    app.answer(() => emptyList)
  })
  return app
}

type Overrides = Partial<Omit<AppDependencies, 'config'>> & {
  config?: Partial<AppDependencies['config']>
  limits?: Limits
}
type Limits = Parameters<typeof createLimiter>[0]['rateLimits']

const generous: Limits = {
  pro: { perSecond: 100_000, perMinute: 1_000_000 },
  studio: { perSecond: 100_000, perMinute: 1_000_000 },
  failedPerMinute: 100_000,
}

export function newToken(tier: 'pro' | 'studio' = 'studio'): string {
  return tokenOf(tier, newSecret())
}

const aToken = newToken()

const send = (port: number, path: string, options: Parameters<RunningApp['get']>[1]) =>
  exchange(port, path, { token: aToken, ...options, agent: false })

async function sendRaw(port: number, bytes: Piece | Piece[], waitMs = 2_000): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    setTimeout(resolve, waitMs).unref()
  })
  const received = () => Buffer.concat(chunks).toString('latin1')
  for (const piece of [bytes].flat()) {
    if (piece instanceof RegExp) await vi.waitUntil(() => piece.test(received()), { timeout: 10_000, interval: 1 })
    else {
      socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)
      await sleep(5)
    }
  }
  await closed
  socket.destroy()
  return received()
}
