import { createHash, randomBytes } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { newSecret } from '../../src/auth/token.ts'
import { createCsrfTokens } from '../../src/console/forms.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { makeStudio } from '../bench/data.ts'
import { quantile } from '../faults/load.ts'
import { type ServiceProcess, startProcess } from '../faults/support.ts'
import { useFolder } from '../support/folder.ts'
import { asAdmin, createTestDatabase, type TestDatabase, testSecretKey, withClient } from '../support/server.ts'
import type { Attack } from './attacks.ts'
import { progressive } from './uploads.ts'

/** How many items the studio has that attacks, and for how long it does so. */
const items = Number(process.env.NEIGHBOURS_ITEMS ?? 5_000)
const seconds = Number(process.env.NEIGHBOURS_SECONDS ?? 1.5)

/** A request of somebody. The answer's status is all that its sender looks at. */
export type Ask = { url: string; init?: RequestInit }

/** A studio, and the requests of its people. */
export type Neighbour = {
  id: string
  rest(path: string, init?: RequestInit): Ask
  page(path: string): Ask
  /** Sends a form of the console. */
  form(path: string, fields: FormData | URLSearchParams): Ask
  /** @param person one of four, by number */
  graphql(query: string, person?: number): Ask
  tool(name: string, given: object): Ask
}

export type Stage = {
  database: TestDatabase
  origin: string
  service: ServiceProcess
  hostile: Neighbour
  other: Neighbour
  /** Ids of photos of the hostile studio. */
  photos: string[]
  /** The hostile studio's logins, which belong to the whole server. */
  logins: string[]
  /** How many rows a file of the hostile studio has. */
  rows: number
}

/** What somebody got: how long each answer took, in milliseconds, its status (0: none; 'left': it did not
 * wait for it; of SQL 200, or the code of the error), and what Retry-After says. */
export type Outcome = { ms: number; status: number | string; retryAfter?: string | null }

const issuer = { CONSOLE_ISSUER: 'http://127.0.0.1:9', CONSOLE_CLIENT_ID: 'nobody', CONSOLE_CLIENT_SECRET: 'none' }

/** Two studios on one service and one GraphQL, each a process of its own. */
export function useNeighbours(): Stage {
  const stage = { photos: [], logins: [], rows: Math.min(2 * items, 180_000) } as unknown as Stage
  const folder = useFolder()
  const processes: ServiceProcess[] = []
  beforeAll(async () => {
    stage.database = await createTestDatabase()
    const start = async (command: 'serve' | 'graphql') => {
      const env = { ...issuer, MCP: 'true', CONSOLE_IMPORT: 'true', PHOTOS_DIR: folder.path, SHUTDOWN_DELAY_MS: '0' }
      const started = await startProcess(stage.database.adminUrl, env, command)
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
    for (const edge of [10_900, 4_990]) await writeFile(join(folder.path, `${edge}.jpg`), await progressive(edge))
    stage.photos = await asAdmin(stage.database, async (client) => {
      const text = `insert into app.item_photos (studio_id, item_id, storage_key)
        select i.studio_id, i.id, (array['10900.jpg', '4990.jpg'])[n % 2 + 1]
        from generate_series(1, 24) as n, (select studio_id, id from app.items where studio_id = $1 and archived_at is null limit 1) i
        returning id`
      await client.query(`select set_config('studio.id', $1, false)`, [stage.hostile.id])
      const { rows } = await client.query<{ id: string }>(text, [stage.hostile.id])
      await client.query('analyze')
      return rows.map(({ id }) => id)
    })
  })
  afterAll(async () => {
    for (const each of processes) {
      each.signal('SIGKILL')
      await each.ended
    }
    await stage.database?.drop()
    await withClient(new URL('/postgres', stage.database?.adminUrl).href, async (admin) => {
      for (const login of stage.logins) await admin.query(`drop role if exists "${login}"`)
    })
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
  const people = await asAdmin(database, async (client) => {
    const text = 'select u.id, u.email from access.users u where u.id = access.owner_of($1)'
    const { rows } = await client.query<{ id: string; email: string }>(text, [id])
    const opened = `select console.sign_in($1, $2, now() + interval '1 hour', $3, now() + interval '1 hour')`
    await client.query(opened, [rows[0]?.email, Buffer.from(newSecret()), digest])
    const people = [rows[0]?.id ?? '']
    for (const name of ['ann', 'ben', 'cho']) {
      const added = `select access.add_member($1, $2 || '.${name}@example.com', '${name}', 'member') as id`
      people.push((await client.query<{ id: string }>(added, [id, id])).rows[0]?.id ?? '')
    }
    return people
  })
  const identities = await Promise.all(
    people.map((userId) => signAnalystToken(testSecretKey, { studioId: id, userId })),
  )
  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const send = (url: string, bearer: string, body: object): Ask => ({
    url,
    init: { method: 'POST', headers: { ...json, Authorization: `Bearer ${bearer}` }, body: JSON.stringify(body) },
  })
  const page = (path: string): Ask => ({
    url: `${origin}/console/studios/${id}/${path}`,
    init: { headers: { Cookie: `studio-inventory-session=${secret}` }, redirect: 'manual' },
  })
  return {
    id,
    rest: (path, init) => ({
      url: `${origin}/v1${path}`,
      init: { headers: { Authorization: `Bearer ${token}` }, ...init },
    }),
    page,
    form: (path, fields) => {
      fields.append('csrf_token', createCsrfTokens(testSecretKey).tokenFor(secret))
      const { url, init } = page(path)
      return { url, init: { ...init, method: 'POST', headers: { ...init?.headers, Origin: origin }, body: fields } }
    },
    graphql: (query, person = 0) => send(graphql, identities[person % identities.length] ?? '', { query }),
    tool: (name, given) =>
      send(`${origin}/mcp`, token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  }
}

/** Keeps so many requests under way until the signal; then it leaves. `ask` gets how many were sent
 * before. */
export async function keepAsking(
  ask: (count: number) => Ask,
  { parallel, pauseMs = 0, until }: { parallel: number; pauseMs?: number; until: AbortSignal },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let count = 0
  const one = async () => {
    while (!until.aborted) {
      outcomes.push(await send(ask(count++), until))
      await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: parallel }, one))
  return outcomes
}

/** Sends a request and reads its answer. */
async function send({ url, init }: Ask, until?: AbortSignal): Promise<Outcome> {
  const began = performance.now()
  const signal = AbortSignal.any([AbortSignal.timeout(20_000), ...(until ? [until] : [])])
  try {
    const response = await fetch(url, { ...init, signal })
    await response.arrayBuffer()
    const retryAfter = response.headers.get('retry-after')
    return { ms: performance.now() - began, status: response.status, retryAfter }
  } catch {
    return { ms: performance.now() - began, status: until?.aborted ? 'left' : 0 }
  }
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

/** What an attack costs. */
type Cost = {
  /** What the other studio got on each surface, and what the attacker got. */
  other: Record<Surface, Outcome[]>
  attacker: Outcome[]
  /** How much memory the service's process took at most, beyond what it had, in bytes. */
  memory: number
  /** After how many seconds everything answered both studios as before. */
  seconds: number
}

/** What the other studio gets while somebody attacks, and afterwards. */
export async function during(stage: Stage, attack?: Attack): Promise<Cost> {
  const until = AbortSignal.timeout(seconds * 1_000)
  const attacking = attack === undefined ? [] : (attack.run ?? asking(attack))(stage, until)
  const before = await residentBytes(stage)
  let most = before
  const watching = (async () => {
    for (; !until.aborted; await sleep(50)) most = Math.max(most, await residentBytes(stage))
  })()
  const asked = Object.entries(ordinary(stage)).map(async ([surface, ask]) => {
    const outcomes = await keepAsking(ask, { parallel: surface === 'REST' ? 2 : 1, pauseMs: 20, until })
    return [surface, outcomes.filter(({ status }) => status !== 'left')] as const
  })
  const other = Object.fromEntries(await Promise.all(asked)) as Record<Surface, Outcome[]>
  const ended = performance.now()
  const attacker = await attacking
  await watching
  await untilUsual(stage)
  return { other, attacker, memory: most - before, seconds: (performance.now() - ended) / 1_000 }
}

const asking =
  ({ ask, parallel }: Attack) =>
  (stage: Stage, until: AbortSignal) =>
    keepAsking((count) => (ask as NonNullable<typeof ask>)(stage, count), { parallel, until })

/** The memory of the process that serves the API and the console, in bytes. */
async function residentBytes({ service }: Stage): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
  return 1024 * Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1])
}

/** Waits until every surface answers both studios. */
async function untilUsual({ hostile, other, origin }: Stage): Promise<void> {
  const usual = ({ rest, page, graphql }: Neighbour) => [
    rest('/items'),
    rest('/valuations/summary?on=2030-01-01'),
    page('overview'),
    graphql('{ account { name } }'),
  ]
  const asks = [...usual(other), ...usual(hostile), { url: `${origin}/docs` }, { url: `${origin}/healthz` }]
  const answers = async () => (await Promise.all(asks.map((ask) => send(ask)))).map(({ status }) => status)
  await expect.poll(answers, { timeout: 60_000 }).toEqual(asks.map(() => 200))
}

/** Median and 99th percentile, as the table shows them. */
export const inShort = (outcomes: Outcome[]) =>
  [0.5, 0.99].map((share) => Math.round(quantile(outcomes as never, share))).join(' / ')

/** How many answers had each status. */
export function statuses(outcomes: readonly Outcome[]): string {
  return [...Map.groupBy(outcomes, ({ status }) => status)]
    .toSorted(([a], [b]) => String(a).localeCompare(String(b)))
    .map(([status, those]) => `${status} × ${those.length}`)
    .join(', ')
}
