import { fork } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect } from 'vitest'
import { newSecret } from '../../src/auth/token.ts'
import { signAnalystToken } from '../../src/graphql/analyst-token.ts'
import { makeStudio } from '../bench/data.ts'
import { quantile } from '../faults/load.ts'
import { type ServiceProcess, startProcess } from '../faults/support.ts'
import { useFolder } from '../support/folder.ts'
import { asAdmin, createTestDatabase, type TestDatabase, testSecretKey, withClient } from '../support/server.ts'
import type { Order } from './attacker.ts'
import type { Target } from './attacks.ts'
import { type Ask, keepAsking, type Neighbour, neighbourWith, type Outcome, send } from './neighbour.ts'
import { diskOf, larger, type Memory, memoryOf, postmasterOf } from './resources.ts'
import { progressive } from './uploads.ts'

/** How many items the studio has that attacks, and for how long it does so. */
const items = Number(process.env.NEIGHBOURS_ITEMS ?? 5_000)
const seconds = Number(process.env.NEIGHBOURS_SECONDS ?? 1.5)

/** Whether the table is wanted, which also says how the other studio is answered alone. */
export const isMeasured = process.env.NEIGHBOURS_SECONDS !== undefined

export type Stage = Target & {
  database: TestDatabase
  service: ServiceProcess
  graphql: ServiceProcess
  /** PostgreSQL's first process; 0 on another machine. */
  postmaster: number
  /** Of the photos. */
  folder: string
  other: Neighbour
}

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
    stage.graphql = await start('graphql')
    stage.folder = folder.path
    stage.postmaster = await postmasterOf(stage.database)
    const graphql = `http://127.0.0.1:${stage.graphql.port}/graphql`
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
  return neighbourWith({ id, token, session: secret, identities, origin, graphql })
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
  /** What each took of memory at most, and what it had before, in bytes. */
  memory: { before: Memory; most: Memory }
  /** How much more is on the disk, in bytes; and by the measure that the attack states. */
  disk: number
  measured: number
  /** After how many seconds everything answered both studios as before. */
  seconds: number
}

/** What the other studio gets while somebody attacks, and afterwards.
 * @param size a number of bytes on the server, as SQL, of which the result says how many came */
export async function during(stage: Stage, what?: string, size = '0'): Promise<Cost> {
  const sizeOf = () =>
    asAdmin(stage.database, async (client) => {
      const { rows } = await client.query<{ size: string }>(`select ${size} as size`)
      return Number(rows[0]?.size)
    })
  const attack = what === undefined ? undefined : await prepareAttack(stage, what)
  const [disk, measured, before] = [await diskOf(stage), await sizeOf(), await memoryOf(stage)]
  const until = AbortSignal.timeout(seconds * 1_000)
  const attacking = attack?.()
  let most = before
  const watching = (async () => {
    for (; !until.aborted; await sleep(100)) most = larger(most, await memoryOf(stage))
  })()
  const patience = { pauseMs: 20, until, isPatient: true }
  const asked = Object.entries(ordinary(stage)).map(
    async ([surface, ask]) =>
      [surface, await keepAsking(ask, { parallel: surface === 'REST' ? 2 : 1, ...patience })] as const,
  )
  const other = Object.fromEntries(await Promise.all(asked)) as Record<Surface, Outcome[]>
  const ended = performance.now()
  await untilUsual(stage)
  const usualAfter = (performance.now() - ended) / 1_000
  await watching
  const attacker = (await attacking) ?? []
  return {
    ...{ other, attacker, memory: { before, most }, seconds: usualAfter },
    ...{ disk: (await diskOf(stage)) - disk, measured: (await sizeOf()) - measured },
  }
}

/** Where answers are measured, the attacker gets a third of the processor that others get, because another
 * machine would take nothing from these. Still less would keep it from attacking. */
const attackerNice = isMeasured ? 5 : 0

/** Starts the attacker's process. The function lets it begin, and resolves to what it got. */
async function prepareAttack(stage: Stage, what: string): Promise<() => Promise<Outcome[]>> {
  const child = fork(new URL('attacker.ts', import.meta.url), { execArgv: [], serialization: 'advanced' })
  setPriority(child.pid as number, attackerNice)
  const { origin, photos, rows, hostile } = stage
  const target = { database: { adminUrl: stage.database.adminUrl }, origin, photos, rows, logins: [] }
  const order: Order = { what, target, hostile: hostile.credentials, ms: seconds * 1_000 }
  child.send(order)
  await once(child, 'message')
  return async () => {
    child.send('begin')
    const [{ outcomes, logins }] = await once(child, 'message')
    stage.logins.push(...logins)
    return outcomes
  }
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
