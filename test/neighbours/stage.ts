import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll } from 'vitest'
import { newSecret } from '../../src/auth/token.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { makeStudio } from '../bench/data.ts'
import { quantile } from '../faults/load.ts'
import { type ServiceProcess, startProcess } from '../faults/support.ts'
import { asAdmin, createTestDatabase, type TestDatabase, testSecretKey } from '../support/server.ts'

/** How many items the studio has that attacks, and for how long it does so. */
const items = Number(process.env.NEIGHBOURS_ITEMS ?? 10_000)
const seconds = Number(process.env.NEIGHBOURS_SECONDS ?? 2)

/** A request of somebody. The answer's status is all that its sender looks at. */
export type Ask = { url: string; init?: RequestInit }

/** A studio, and the requests of its people. */
export type Neighbour = {
  id: string
  rest(path: string, init?: RequestInit): Ask
  page(path: string): Ask
  graphql(query: string, variables?: object): Ask
  tool(name: string, given: object): Ask
}

export type Stage = {
  database: TestDatabase
  origin: string
  service: ServiceProcess
  hostile: Neighbour
  other: Neighbour
}

/** What somebody got: how long each answer took, in milliseconds, and its status (0: none). */
export type Outcome = { ms: number; status: number }

const issuer = { CONSOLE_ISSUER: 'http://127.0.0.1:9', CONSOLE_CLIENT_ID: 'nobody', CONSOLE_CLIENT_SECRET: 'none' }

/** Two studios on one service and one GraphQL, each a process of its own. */
export function useNeighbours(): Stage {
  const stage = {} as Stage
  const processes: ServiceProcess[] = []
  beforeAll(async () => {
    stage.database = await createTestDatabase()
    const start = async (command: 'serve' | 'graphql') => {
      const env = { ...issuer, MCP: 'true', LOG_LEVEL: 'warn', SHUTDOWN_DELAY_MS: '0' }
      const started = await startProcess(stage.database.adminUrl, { ...env, LOG_LEVEL: 'info' }, command)
      processes.push(started)
      return started
    }
    stage.service = await start('serve')
    stage.origin = `http://127.0.0.1:${stage.service.port}`
    const graphql = `http://127.0.0.1:${(await start('graphql')).port}/graphql`
    const move = async (name: string, holdings: Parameters<typeof makeStudio>[2]) => {
      const studio = await makeStudio({ adminUrl: stage.database.adminUrl } as never, name, holdings)
      return neighbourOf(stage, graphql, studio)
    }
    const usual = { maintenance: 100, locations: 20, policies: 20, assignedOneIn: 10 }
    stage.hostile = await move('The hostile studio', { ...usual, items, maintenance: items / 5 })
    stage.other = await move('The other studio', { ...usual, items: 500 })
    await asAdmin(stage.database, (client) => client.query('analyze'))
  })
  afterAll(async () => {
    for (const each of processes) {
      each.signal('SIGKILL')
      await each.ended
    }
    await stage.database?.drop()
  })
  return stage
}

async function neighbourOf(
  { database, origin }: Stage,
  graphql: string,
  { id, token }: { id: string; token: string },
): Promise<Neighbour> {
  const secret = randomBytes(32).toString('base64url')
  const digest = createHash('sha256').update(secret).digest()
  const owner = await asAdmin(database, async (client) => {
    const text = 'select u.id, u.email from access.users u where u.id = access.owner_of($1)'
    const { rows } = await client.query<{ id: string; email: string }>(text, [id])
    const opened = `select console.sign_in($1, $2, now() + interval '1 hour', $3, now() + interval '1 hour')`
    await client.query(opened, [rows[0]?.email, Buffer.from(newSecret()), digest])
    return rows[0]
  })
  const identity = await signAnalystToken(testSecretKey, { studioId: id, userId: owner?.id ?? '' })
  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const send = (url: string, bearer: string, body: object): Ask => ({
    url,
    init: { method: 'POST', headers: { ...json, Authorization: `Bearer ${bearer}` }, body: JSON.stringify(body) },
  })
  return {
    id,
    rest: (path, init) => ({
      url: `${origin}/v1${path}`,
      init: { headers: { Authorization: `Bearer ${token}` }, ...init },
    }),
    page: (path) => ({
      url: `${origin}/console/studios/${id}/${path}`,
      init: { headers: { Cookie: `studio-inventory-session=${secret}` }, redirect: 'manual' },
    }),
    graphql: (query, variables) => send(graphql, identity, { query, variables }),
    tool: (name, given) =>
      send(`${origin}/mcp`, token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  }
}

/** Keeps so many requests under way until the signal. `ask` gets how many were sent before. */
export async function keepAsking(
  ask: (count: number) => Ask,
  { parallel, pauseMs = 0, until }: { parallel: number; pauseMs?: number; until: AbortSignal },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let count = 0
  const one = async () => {
    while (!until.aborted) {
      const { url, init } = ask(count++)
      const began = performance.now()
      const status = await fetch(url, { ...init, signal: AbortSignal.timeout(20_000) }).then(
        (response) => response.arrayBuffer().then(() => response.status),
        () => 0,
      )
      outcomes.push({ ms: performance.now() - began, status })
      await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: parallel }, one))
  return outcomes
}

/** What the other studio's people do all day: lists (cached, filtered, polled), items, pages, queries. */
const ordinary = ({ other }: Stage): Record<Surface, (count: number) => Ask> => ({
  REST: (count) =>
    other.rest(
      ['/items', `/items?per_page=${(count % 97) + 2}&category=Microphones`, '/account', '/policies'][count % 4] ?? '',
    ),
  console: (count) => other.page(['items', 'overview', 'policies'][count % 3] ?? ''),
  GraphQL: () => other.graphql('{ items(first: 20) { nodes { id name currentEstimatedValue } totalCount } }'),
})

export const surfaces = ['REST', 'console', 'GraphQL'] as const
export type Surface = (typeof surfaces)[number]

/** What the other studio got on each surface while somebody attacked, and what the attacker got. */
export async function during(
  stage: Stage,
  attack?: { ask: (count: number) => Ask; parallel: number },
): Promise<{ other: Record<Surface, Outcome[]>; attacker: Outcome[] }> {
  const until = AbortSignal.timeout(seconds * 1_000)
  const attacking = attack ? keepAsking(attack.ask, { parallel: attack.parallel, until }) : Promise.resolve([])
  const asked = Object.entries(ordinary(stage)).map(async ([surface, ask]) => {
    return [surface, await keepAsking(ask, { parallel: surface === 'REST' ? 2 : 1, pauseMs: 20, until })] as const
  })
  const other = Object.fromEntries(await Promise.all(asked)) as Record<Surface, Outcome[]>
  return { other, attacker: await attacking }
}

/** Median and 99th percentile, as the table shows them. */
export const inShort = (outcomes: Outcome[]) =>
  [0.5, 0.99].map((share) => Math.round(quantile(outcomes as never, share))).join(' / ')

/** How many answers had each status. */
export function statuses(outcomes: readonly Outcome[]): string {
  return [...Map.groupBy(outcomes, ({ status }) => status)]
    .toSorted(([a], [b]) => a - b)
    .map(([status, those]) => `${status} × ${those.length}`)
    .join(', ')
}
