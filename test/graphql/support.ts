import type { OutgoingHttpHeaders } from 'node:http'
import { afterAll, beforeAll, expect, vi } from 'vitest'
import type { TracingConfig } from '../../src/config/config.ts'
import type { TrustedIssuer } from '../../src/config/graphql.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { buildSchema } from '../../src/graphql/schema.ts'
import { type GraphqlOptions, type GraphqlServer, openGraphql } from '../../src/graphql/server.ts'
import { listen } from '../../src/http/listener.ts'
import { makeLogger } from '../../src/log.ts'
import { openObservability } from '../../src/observability/observability.ts'
import type { CastStudio, Person } from '../support/cast.ts'
import { exchange, jsonOf, type Reply } from '../support/client.ts'
import { type TestDatabase, testSecretKey } from '../support/server.ts'
import { docsUrl, generous } from '../support/service.ts'
import { useWorld, type World } from '../support/world.ts'

export type GraphqlReply<Data = Record<string, unknown>> = Omit<Reply, 'json'> & {
  data: Data
  errors: { message: string; extensions: { code: string } }[] | undefined
}

export type GraphqlAsk = {
  /** Null sends none. */
  token?: string | null
  variables?: object
  operationName?: string
  headers?: OutgoingHttpHeaders
  method?: string
  path?: string
  /** Instead of a query in JSON. */
  body?: string
  /** Sends it without its length. */
  chunked?: boolean
}

export type GraphqlService = {
  port: number
  listener: GraphqlServer
  log(): string
  ask<Data = Record<string, unknown>>(query: string, ask?: GraphqlAsk): Promise<GraphqlReply<Data>>
  stop(): Promise<void>
}

/** A database that can be reached as a role. */
type Reachable = Pick<TestDatabase, 'urlFor'>

export type StartOptions = {
  limits?: GraphqlOptions['config']['rateLimits']
  trustProxy?: GraphqlOptions['config']['trustProxy']
  trusted?: TrustedIssuer
  statementTimeoutMs?: number
  acquireTimeoutMs?: number
  poolSize?: number
  databaseUrl?: string
  tracing?: TracingConfig
  page?: GraphqlOptions['page']
}

/** The schema, made once for the files of a worker: the databases of a run are copies of one. */
let schema: ReturnType<typeof buildSchema> | undefined
const buildOnce: typeof buildSchema = (pool) => {
  schema ??= buildSchema(pool)
  schema.catch(() => {
    schema = undefined
  })
  return schema
}

/** Starts the GraphQL listener on a test database and a free port, and waits for its schema. */
export async function startGraphql(database: Reachable, options: StartOptions = {}): Promise<GraphqlService> {
  const lines: string[] = []
  const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(line) } })
  const build = options.databaseUrl === undefined ? buildOnce : buildSchema
  const resources = new AsyncDisposableStack()
  const observing = { metrics: undefined, tracing: options.tracing, docsUrl }
  const observability = await openObservability(observing, log, resources)
  const listener = await openGraphql({ ...optionsFor(database, options), observability }, log, build)
  resources.defer(listener.close)
  const port = await listen(listener.server, '127.0.0.1', 0)
  const ask = asking(port)
  if (options.databaseUrl === undefined) {
    const ready = async () => (await ask('', { method: 'GET', path: '/readyz' })).status === 200
    await vi.waitUntil(ready, { timeout: 60_000, interval: 20 })
  }
  return { port, listener, log: () => lines.join(''), ask, stop: () => resources.disposeAsync() }
}

export function optionsFor(database: Reachable, options: StartOptions = {}): GraphqlOptions {
  return {
    config: {
      docsUrl,
      trustProxy: options.trustProxy ?? false,
      rateLimits: options.limits ?? generous,
      redisUrl: undefined,
      acquireTimeoutMs: options.acquireTimeoutMs ?? 10_000,
      statementTimeoutMs: options.statementTimeoutMs ?? 5_000,
      shutdownTimeoutMs: 1_000,
      poolQueue: 200,
      maxConnections: 1_000,
      graphql: { port: 0, publicUrl: undefined, poolSize: options.poolSize ?? 2, trusted: options.trusted },
    },
    databaseUrl: options.databaseUrl ?? database.urlFor('studio_graphql'),
    secretKeys: testSecretKey,
    page: options.page ?? { base: '', command: 'npx studio-inventory' },
    retryMs: 50,
  }
}

/** Asks a GraphQL listener on this machine. */
export function asking(port: number): GraphqlService['ask'] {
  return async <Data>(query: string, ask: GraphqlAsk = {}) => {
    const { token = null, variables, operationName, method = 'POST', path = '/graphql' } = ask
    const body = method === 'POST' ? (ask.body ?? JSON.stringify({ query, variables, operationName })) : undefined
    const reply = await exchange(port, path, {
      ...{ token, method, ...(body !== undefined && { body }) },
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(ask.chunked && { 'Transfer-Encoding': 'chunked' }),
        ...ask.headers,
      },
    })
    const json = jsonOf<{ data: Data; errors: GraphqlReply['errors'] } | null>(reply)
    return { ...reply, data: json?.data as Data, errors: json?.errors }
  }
}

export type GraphqlWorld = World & {
  graphql: GraphqlService
  /** Asks as the owner of studio A, or with the token given. */
  ask: GraphqlService['ask']
  /** As `ask`; the answer must be whole. */
  read<Data = Record<string, unknown>>(query: string, ask?: GraphqlAsk): Promise<Data>
}

/** Gives the test file a database with the cast and the GraphQL listener on it. To be called at the
 * top of the file. */
export function useGraphql(options: StartOptions = {}): GraphqlWorld {
  const world = useWorld() as GraphqlWorld
  beforeAll(async () => {
    world.graphql = await startGraphql(world.database, options)
    const token = () => tokenOf(world.cast.a)
    world.ask = async (query, ask = {}) => world.graphql.ask(query, { token: await token(), ...ask })
    world.read = async (query, ask) => {
      const reply = await world.ask(query, ask)
      expect({ status: reply.status, errors: reply.errors }).toEqual({ status: 200, errors: undefined })
      return reply.data as never
    }
  })
  afterAll(() => world.graphql?.stop())
  return world
}

/** A token of the studio's owner, or of the person given. */
export function tokenOf(studio: CastStudio, person: Person = studio.people.owner): Promise<string> {
  return signAnalystToken(testSecretKey, { studioId: studio.id, userId: person.id })
}
