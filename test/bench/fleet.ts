import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }
import type { Dataset, Studio } from './dataset.ts'
import { requestOnce } from './load.ts'
import { freePort, type Running, start } from './processes.ts'
import { expectSame, restWording } from './questions.ts'
import type { Scratch } from './scratch.ts'

/** The servers of a run, all on the same database but the stored body. */
export type Fleet = {
  /** The service as `npm start` runs it, GraphQL included, which is not loaded before somebody asks it. */
  service: Running
  /** The origin of its GraphQL. */
  graphql: string
  /** The same without its body cache. */
  uncached: Running
  /** The same without limits, activity and log. */
  unguarded: Running
  usual: Running
  /** One statement that reads stored documents, and nothing around it. */
  bare: Running
  /** Stores a list, an item and an empty poll as the service answered them: `/stored/list`, or after a `select 1` `/asked/list`. */
  stored: Running
}

/** What `npm start` hands to Node. */
const [, ...startArguments] = packageJson.scripts.start.split(' ')

/** Limits that no round reaches: the largest that the configuration takes. */
const limits = { RATE_LIMITS: 'pro=1000000/1000000,studio=1000000/1000000' }

/** Starts the service in a process of its own; its log goes to a file, as a supervisor would keep it. */
export async function startService(
  scratch: Scratch,
  name: string,
  env: Record<string, string> = {},
  nodeOptions: string[] = [],
): Promise<Running> {
  return start({
    name,
    args: [...nodeOptions, ...startArguments],
    env: {
      DATABASE_URL: scratch.adminUrl,
      SECRET_KEY: scratch.secretKey,
      DATA_DIR: join(scratch.folder, 'data'),
      ...limits,
      ...env,
    },
    logFile: join(scratch.folder, 'logs', `${name.replaceAll(' ', '-')}.log`),
    answers: '/readyz',
  })
}

/** @param cache false: the service has no body cache in any of its processes */
export async function startFleet(
  scratch: Scratch,
  { usual, large, small }: Dataset,
  closers: (() => unknown)[],
  cache: boolean,
): Promise<Fleet> {
  await mkdir(join(scratch.folder, 'logs'), { recursive: true })
  const started = async (starting: Promise<Running>) => {
    const running = await starting
    closers.push(running.stop)
    return running
  }
  const without = { CACHE_MAX_BYTES: '0' }
  const given: Record<string, string> = cache ? {} : without
  const hooks = ['--import', join(import.meta.dirname, 'servers/unguarded.ts')]
  const graphqlPort = await freePort()
  const service = await started(startService(scratch, 'the service', { ...given, GRAPHQL_PORT: String(graphqlPort) }))
  const uncached = await started(startService(scratch, 'the service without its cache', without))
  const unguarded = await started(
    startService(scratch, 'the service unguarded', { ...given, LOG_LEVEL: 'silent' }, hooks),
  )
  const tokens = Object.fromEntries([...usual, large, small].map(({ token, id }) => [token, id]))
  const port = await freePort()
  const usualWay = await started(
    startOther(scratch, 'usual', { ...usualEnv(scratch, port), TOKENS: JSON.stringify(tokens) }, port),
  )
  const bare = await started(
    startOther(scratch, 'bare', { DATABASE_URL: scratch.adminUrl, TOKENS: JSON.stringify(tokens) }),
  )
  const [studio] = usual as [Studio]
  const questions = {
    list: { studio },
    item: { studio, item: studio.items[0] as string },
    poll: { studio, updatedSince: '2036-01-01T00:00:00Z', empty: true },
  }
  const bodies: Record<string, unknown> = {}
  for (const [name, question] of Object.entries(questions)) {
    bodies[name] = await requestOnce(service.origin, restWording(question))
  }
  const stored = await started(
    startOther(scratch, 'stored', { BODIES: JSON.stringify(bodies), DATABASE_URL: scratch.writerUrl }),
  )
  const graphql = `http://127.0.0.1:${graphqlPort}`
  return { service, graphql, uncached, unguarded, usual: usualWay, bare, stored }
}

function usualEnv(scratch: Scratch, port: number): Record<string, string> {
  return {
    DATABASE_URL: scratch.writerUrl,
    SECRET_KEY: scratch.secretKey,
    PUBLIC_URL: `http://localhost:${port}`,
  }
}

function startOther(scratch: Scratch, name: string, env: Record<string, string>, port?: number): Promise<Running> {
  return start({
    name,
    args: [join(import.meta.dirname, 'servers', `${name}.ts`)],
    env: { NODE_ENV: 'production', ...env },
    logFile: join(scratch.folder, 'logs', `${name}.log`),
    ...(port === undefined ? {} : { port }),
  })
}

/** The rivals have to answer what the service answers, to the value, or the comparison is worth nothing. */
export async function expectSameAnswers({ service, usual }: Fleet, { usual: studios, large }: Dataset): Promise<void> {
  const studio = studios[0] as Studio
  const questions = [
    { studio },
    { studio, page: 7, perPage: 33 },
    { studio, category: 'Microphones' },
    { studio, coverageState: 'under_covered' },
    { studio, category: 'Guitars & Basses', coverageState: 'uninsured', page: 2, perPage: 10 },
    { studio, updatedSince: '2026-01-01T00:00:30Z' },
    { studio, updatedSince: '2036-01-01T00:00:00Z', empty: true },
    { studio: large, page: 1000 },
    { studio, item: studio.items[3] as string },
  ]
  for (const question of questions) {
    const ask = restWording(question)
    const [one, other] = await Promise.all([requestOnce(service.origin, ask), requestOnce(usual.origin, ask)])
    expectSame(withoutAddress(one), withoutAddress(other), ask.path)
  }
}

/** Each server names itself as the place of the documentation. */
function withoutAddress(body: unknown): unknown {
  return { ...(body as object), _meta: (body as { _meta: { disclaimers: unknown } })._meta.disclaimers }
}
