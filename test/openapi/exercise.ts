import { randomUUID } from 'node:crypto'
import { type Operation, parametersOf } from '../../src/api/operation.ts'
import { prefix } from '../../src/api/operations.ts'
import type { ParameterName } from '../../src/http/parameters.ts'
import type { Ask } from '../support/client.ts'
import { databaseUrl } from '../support/server.ts'
import { generous, type TestService } from '../support/service.ts'
import type { World } from '../support/world.ts'

/** A request, and the status that it is answered with. */
export type Trial = { status: number; about: string; path: string; service: TestService } & Pick<
  Ask,
  'token' | 'headers'
>

/** Services that each answer in a way that the ordinary one seldom does. */
export type Services = { ordinary: TestService; exhausted: TestService; broken: TestService; away: TestService }

export async function startServices(world: World): Promise<Services> {
  const once = { perSecond: 1_000_000, perMinute: 1 }
  return {
    ordinary: world.service,
    exhausted: await world.start({ limits: { ...generous, pro: once, studio: once } }),
    // A database without the functions of the service, and none at all.
    broken: await world.start({ reach: (url) => databaseUrl(url, 'postgres') }),
    away: await world.start({ reach: (url) => Object.assign(new URL(url), { port: '1' }).href }),
  }
}

/** Values of each parameter that are taken, and values that are refused. */
const taken: Record<ParameterName, string[]> = {
  page: ['1', '2', '999999999999999999999'],
  per_page: ['1', '2', '100', '101', '5000'],
  category: ['Microphones', 'Outboard — Dynamics & EQ', 'Other / Uncategorised', 'microphones', ''],
  coverage_state: ['fully_covered', 'under_covered', 'uninsured', 'value_unknown'],
  updated_since: ['2020-01-01', '2020-01-01T00:00:00Z', '2020-01-01T01:00:00+01:00', '2999-12-31', '20200101T00'],
  item_id: [randomUUID()],
  status: ['scheduled', 'completed'],
}
const refused: Partial<Record<ParameterName, string[]>> = {
  page: ['0', '-1', 'one', ''],
  per_page: ['0', '1.5'],
  coverage_state: ['covered', ''],
  updated_since: ['now', '2024-13-01', ''],
  item_id: ['1'],
  status: ['done'],
}

/** Requests to an operation, for every answer that the description says it can give. */
export async function trialsOf(operation: Operation, world: World, services: Services): Promise<Trial[]> {
  const { ordinary, exhausted, broken, away } = services
  const { own, others } = idsFor(operation, world)
  const at = (id: string) => prefix + operation.path.replace('{id}', id)
  const path = at(own[0] ?? '')
  const query = (name: string, value: string) => `${path}?${new URLSearchParams({ [name]: value })}`
  const by = (status: number, about: string, more: Partial<Trial> = {}): Trial => {
    const token = world.cast.a.token.token
    return { status, about, path, service: ordinary, token, ...more }
  }
  return [
    ...own.map((id) => by(200, `id ${id}`, { path: at(id) })),
    ...parametersOf(operation).flatMap((name) => [
      ...taken[name].map((value) => by(200, `${name}=${value}`, { path: query(name, value) })),
      ...(refused[name] ?? []).map((value) => by(400, `${name}=${value}`, { path: query(name, value) })),
      by(400, `${name} twice`, { path: `${path}?${name}=1&${name}=1` }),
    ]),
    by(401, 'no token', { token: null }),
    by(401, 'a malformed token', { token: 'svc_studio_short' }),
    by(401, 'an unknown token', { token: `svc_studio_${'x'.repeat(32)}` }),
    by(403, 'a plan that has lapsed', { token: await lapsedToken(world) }),
    ...others.map((id) => by(404, `id ${id}`, { path: at(id) })),
    by(429, 'one request too many', { service: exhausted, token: await exhaustedToken(world, exhausted) }),
    by(500, 'a broken database', { service: broken }),
    by(503, 'no database', { service: away }),
    by(414, 'a long address', { path: `${path}?x=${'a'.repeat(9_000)}` }),
    by(431, 'long headers', { headers: { 'X-Long': 'a'.repeat(17_000) } }),
  ]
}

/** Ids that an operation finds (one that is not used, where it takes none), and ids that it does not. */
function idsFor({ path }: Operation, { cast }: World): { own: string[]; others: string[] } {
  if (!path.includes('{id}')) return { own: [''], others: [] }
  const kind = path.startsWith('/items') ? 'items' : 'policies'
  const { archived, ...live } = cast.a[kind]
  const own = Object.values<string>(kind === 'items' ? live : cast.a.policies)
  const foreign = Object.values<string>(cast.b[kind])[0] ?? ''
  return { own, others: [randomUUID(), foreign, 'malformed', '%ZZ', ...(kind === 'items' ? [archived] : [])] }
}

/** A token that has made the one request that it may make. */
async function exhaustedToken(world: World, service: TestService): Promise<string> {
  const { token } = await world.newStudio()
  await service.get(`${prefix}/account`, { token })
  return token
}

async function lapsedToken(world: World): Promise<string> {
  const { id, token } = await world.newStudio()
  await world.owner(`select access.set_subscription($1, 'studio', 'canceled', null, $2, $3)`, [
    id,
    '2020-01-01T00:00:00Z',
    '2020-02-01T00:00:00Z',
  ])
  return token
}
