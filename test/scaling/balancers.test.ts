import { Agent, type RequestOptions, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { newSecret, tokenOf } from '../../src/auth/token.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { findPort } from '../../src/http/listener.ts'
import { envFor } from '../cli/run.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { testSecretKey } from '../support/server.ts'
import { useWorld } from '../support/world.ts'
import { type Balancer, startHaproxy, startNginx, type Upstreams } from './balancers.ts'
import { endProcesses, type Instance, startInstance } from './processes.ts'
import { startServer, stopServer } from './servers.ts'

/** Two instances each of the service and GraphQL, behind the balancers of docs/deployment. */
const world = useWorld()
endProcesses()
const name = 'api.example.com'
/** Each client sends about four requests a second: in total below the limits of the samples. */
const clients = 12
const pauseMs = 200

const instances: Instance[] = []
const graphql: Instance[] = []
let env: Record<string, string>
let ports: Upstreams
/** Between the database and the second instance. */
let way: DatabaseProxy

beforeAll(async () => {
  env = envFor(world.database, {
    ...{ POOL_SIZE: '2', LOG_LEVEL: 'warn', TRUST_PROXY: '1', SHUTDOWN_DELAY_MS: '5000' },
    ...{ PUBLIC_URL: `https://${name}`, GRAPHQL_PUBLIC_URL: `https://${name}` },
    RATE_LIMITS: 'studio=100000/100000',
  })
  const free = () => findPort('127.0.0.1', 0)
  ports = { instances: [await free(), await free()], graphql: [await free(), await free()] }
  way = await openProxy(world.database.adminUrl)
  for (const index of [0, 1]) await start(index)
})
afterAll(() => way?.close())

async function start(index: number): Promise<void> {
  const url = world.database.adminUrl
  const own = { DATABASE_URL: index === 1 ? way.reach(url) : url }
  instances[index] = await startInstance({ ...env, ...own }, ports.instances[index])
  graphql[index] = await startInstance(env, ports.graphql[index], 'graphql')
}

type BalancerResponse = { status: number | string; headers: Record<string, unknown>; body: Buffer }

/** One request to a balancer; never rejects. */
function ask(
  { port, ca }: Balancer,
  path: string,
  options: RequestOptions & { body?: string } = {},
): Promise<BalancerResponse> {
  const { body, headers, ...more } = options
  return new Promise((resolve) => {
    const failed = (error: NodeJS.ErrnoException) =>
      resolve({ status: error.code ?? error.message, headers: {}, body: Buffer.of() })
    const to = { host: '127.0.0.1', servername: name, port, ca, path, headers: { Host: name, ...headers } }
    const asking = request({ ...to, ...more }, (response) => {
      response.on('error', failed)
      response.toArray().then(
        (chunks) =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
        () => undefined,
      )
    })
    asking.on('error', failed).end(body)
  })
}

const authorization = () => ({ Authorization: `Bearer ${world.cast.a.token.token}` })

type Loaded = { name: string; path: string; options: RequestOptions & { body?: string } }

/** The requests of a load, in turn: three to the API, one of them a POST, and a GraphQL query. */
async function requestsOfLoad(): Promise<Loaded[]> {
  const { id, people } = world.cast.a
  const body = JSON.stringify({ query: '{ account { name } }' })
  const api = (method: string) => ({ name: method, path: '/v1/items', options: { method, headers: authorization() } })
  return Promise.all(
    Object.values(people).flatMap((person) => [
      ...['GET', 'GET', 'POST'].map(api),
      signAnalystToken(testSecretKey, { studioId: id, userId: person.id }).then((identity) => {
        const headers = { Authorization: `Bearer ${identity}`, 'Content-Type': 'application/json' }
        return { name: 'GraphQL', path: '/graphql', options: { method: 'POST', headers, body } }
      }),
    ]),
  )
}

/** Clients that send requests until stopped. Counts responses by request, status and error. */
async function startLoad(balancer: Balancer) {
  const requests = await requestsOfLoad()
  const agent = new Agent({ keepAlive: true, maxSockets: clients })
  const counts: Record<string, number> = {}
  let going = true
  onTestFinished(() => {
    going = false
  })
  async function client(number: number): Promise<void> {
    for (let count = number; going; count += 1) {
      const { name, path, options } = requests[count % requests.length] as Loaded
      const { status, body } = await ask(balancer, path, { agent, ...options })
      const code = Number(status) >= 500 ? (/"code":"(\w+)"/.exec(body.toString())?.[1] ?? 'of the balancer') : ''
      const outcome = `${name} ${status} ${code}`.trimEnd()
      counts[outcome] = (counts[outcome] ?? 0) + 1
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  const work = Array.from({ length: clients }, (_, index) => client(index))
  return {
    counts,
    async stop() {
      going = false
      await Promise.all(work)
      agent.destroy()
      return counts
    },
  }
}

describe.each([
  // nginx counts requests under way, so these are half-sent; HAProxy connections.
  { balancer: 'nginx', run: startNginx, sent: `POST / HTTP/1.1\r\nHost: ${name}\r\nContent-Length: 10\r\n\r\n` },
  { balancer: 'HAProxy', run: startHaproxy, sent: '' },
])('behind $balancer', ({ run, sent }) => {
  let balancer: Balancer
  beforeAll(async () => {
    balancer = await run(ports)
    await vi.waitFor(async () => expect((await ask(balancer, '/healthz')).status).toBe(200), { timeout: 30_000 })
  })

  test('no request fails while both instances are restarted, one right after the other', async () => {
    const load = await startLoad(balancer)
    const answered = () => Math.min(load.counts['GET 200'] ?? 0, 2 * (load.counts['GraphQL 200'] ?? 0))
    await vi.waitUntil(() => answered() > 50, { timeout: 60_000 })
    for (const index of [0, 1]) {
      for (const instance of [instances[index] as Instance, graphql[index] as Instance]) {
        instance.child.kill('SIGTERM')
        await vi.waitFor(async () => expect((await fetch(`${instance.url}/readyz`)).status).toBe(503), {
          timeout: 5_000,
        })
        expect((await instance.ended).status).toBe(0)
      }
      await start(index)
    }
    const before = answered()
    await vi.waitUntil(() => answered() > before + 50, { timeout: 60_000 })
    const counts = await load.stop()
    expect(Object.keys(counts).toSorted()).toEqual(['GET 200', 'GraphQL 200', 'POST 405'])
  }, 180_000)

  test('the instance that alone has lost its database gets no request, once the balancer knows', async () => {
    const load = await startLoad(balancer)
    await way.down()
    await vi.waitFor(async () => expect((await fetch(`${instances[1]?.url}/readyz`)).status).toBe(503))
    // What its checks take; nginx has none, and asks the other instance.
    await sleep(4_000)
    for (const outcome of Object.keys(load.counts)) delete load.counts[outcome]
    await sleep(3_000)
    await way.up()
    const counts = await load.stop()
    expect(Object.keys(counts).toSorted()).toEqual(['GET 200', 'GraphQL 200', 'POST 405'])
  }, 60_000)

  test('without PostgreSQL clients get the 503 of the service with Retry-After, and the documentation', async () => {
    const list = () => ask(balancer, '/v1/items', { headers: authorization() })
    const { primary } = inject('servers')
    await stopServer(primary)
    onTestFinished(() => startServer(primary).catch(() => undefined))
    await vi.waitFor(async () => expect((await list()).status).toBe(503), { timeout: 10_000 })
    // Longer than a balancer checks until it knows.
    const end = Date.now() + 6_000
    while (Date.now() < end) {
      const [{ status, headers, body }, docs] = await Promise.all([list(), ask(balancer, '/docs')])
      expect([status, headers['content-type']]).toEqual([503, 'application/problem+json; charset=utf-8'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(JSON.parse(body.toString())).toMatchObject({ code: 'unavailable', request_id: expect.any(String) })
      expect(docs.status).toBe(200)
      await sleep(250)
    }
    await startServer(primary)
    await vi.waitFor(async () => expect((await list()).status).toBe(200), { timeout: 20_000 })
    for (const { url } of instances) {
      await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), { timeout: 20_000 })
    }
  }, 90_000)

  test('where no process runs, clients get a 503 with Retry-After in the form of the service', async () => {
    const free = () => findPort('127.0.0.1', 0)
    const alone = await run({ instances: [await free(), await free()], graphql: [await free(), await free()] })
    for (const path of ['/v1/items', '/graphql', '/console']) {
      const { status, headers, body } = await ask(alone, path)
      expect([status, headers['content-type'], headers['retry-after']]).toEqual([503, 'application/problem+json', '2'])
      expect(JSON.parse(body.toString())).toMatchObject({ status: 503, code: 'unavailable' })
    }
  })

  test.each(['/readyz', '/%72eadyz', '/readyz?x'])('%s is hidden, which the instances answer', async (path) => {
    expect((await ask(balancer, path)).status).toBe(404)
    expect((await fetch(`${instances[0]?.url}/readyz`)).status).toBe(200)
  })

  test('plain HTTP is redirected, and answers say that TLS is required', async () => {
    const plain = await fetch(`http://127.0.0.1:${balancer.plainPort}/docs`, {
      headers: { Host: name },
      redirect: 'manual',
    })
    expect([plain.status, plain.headers.get('location')?.replace(/^https:\/\/[^/]+/, '')]).toEqual([301, '/docs'])
    expect((await ask(balancer, '/')).headers['strict-transport-security']).toContain('max-age=')
  })

  test.each(['gzip', 'br'])('a list is compressed for clients that take %s', async (encoding) => {
    const headers = { ...authorization(), 'Accept-Encoding': encoding }
    const { headers: answered, body } = await ask(balancer, '/v1/items', { headers })
    expect(answered['content-encoding']).toBe(encoding)
    const text = encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)
    expect(JSON.parse(text.toString())).toHaveProperty('data')
  })

  test('failed authentications count against the address of the client, whatever the client claims', async () => {
    const unknown = tokenOf('studio', newSecret())
    const agent = new Agent({ keepAlive: true, maxSockets: 10 })
    const ask80 = Array.from({ length: 80 }, (_, index) => {
      const headers = { Authorization: `Bearer ${unknown}`, 'X-Forwarded-For': `192.0.2.${index}` }
      return ask(balancer, '/v1/items', { agent, headers })
    })
    // Each of the two instances admits 30 in a minute, and those that come at once.
    const refused = (await Promise.all(ask80)).filter(({ status }) => status === 429)
    agent.destroy()
    expect(refused.length).toBeGreaterThan(0)
    for (const { body } of refused) expect(JSON.parse(body.toString())).toHaveProperty('request_id')
  })

  test('more than 100 connections at once from one address are refused, with when to come back', async () => {
    const { port, ca } = balancer
    for (let count = 0; count < 101; count += 1) {
      const socket = connect({ host: '127.0.0.1', servername: name, port, ca })
      onTestFinished(() => void socket.destroy())
      socket.on('error', () => undefined)
      socket.write(sent)
    }
    await vi.waitFor(
      async () => {
        const { status, headers } = await ask(balancer, '/healthz', { agent: false })
        expect([status, headers['retry-after']]).toEqual([429, '1'])
      },
      { timeout: 30_000 },
    )
  })
})
