import { randomUUID } from 'node:crypto'
import type { Operation } from '../../src/api/operation.ts'
import { prefix } from '../../src/api/operations.ts'
import type { RequestOptions } from '../support/client.ts'
import { gateMessage } from '../support/gate-message.ts'
import { databaseUrl } from '../support/server.ts'
import { generous, type TestService } from '../support/service.ts'
import type { World } from '../support/world.ts'

/** A request, and the status that it is answered with. */
export type Trial = {
  status: number
  about: string
  path: string
  service: TestService
} & Pick<RequestOptions, 'token' | 'headers'>

/** Services that each answer in a way that the ordinary one seldom does. */
export type Services = { ordinary: TestService; exhausted: TestService; broken: TestService; away: TestService }

export async function startServices(world: World): Promise<Services> {
  const once = { perSecond: 1_000_000, perMinute: 1 }
  await world.owner('select access.heartbeat()')
  return {
    ordinary: world.service,
    exhausted: await world.start({ limits: { ...generous, pro: once, studio: once } }),
    // One database lacks the functions of the service, and the other does not exist.
    broken: await world.start({ reach: (url) => databaseUrl(url, 'postgres') }),
    away: await world.start({ reach: (url) => Object.assign(new URL(url), { port: '1' }).href }),
  }
}

/** Accepted values of parameters, besides their examples, and refused ones; by default the empty
 * one. */
const taken: Record<string, string[]> = {
  page: ['1', '2', '999999999999999999999'],
  per_page: ['1', '2', '100', '101', '5000'],
  category: ['Microphones', 'Outboard — Dynamics & EQ', 'Other / Uncategorised', 'microphones', ''],
  coverage_state: ['fully_covered', 'under_covered', 'uninsured', 'value_unknown'],
  q: ['microphone', 'm49 maker', '%', '-'],
  location_id: [randomUUID()],
  include_sublocations: ['true', 'false'],
  updated_since: ['2020-01-01', '2020-01-01T00:00:00Z', '2020-01-01T01:00:00+01:00', '2999-12-31', '20200101T00'],
  cursor: [],
  item_id: [randomUUID()],
  status: ['scheduled', 'completed'],
  value_source: ['agreed', 'market', 'manual', 'depreciated', 'purchase_price', 'replacement_cost', 'unknown'],
  by: ['category', 'location', 'coverage_state', 'value_source', 'policy'],
}
const refused: Partial<Record<string, string[]>> = {
  page: ['0', '-1', 'one', ''],
  per_page: ['0', '1.5'],
  coverage_state: ['covered', ''],
  q: ['', ' '],
  location_id: ['1'],
  include_sublocations: ['yes', ''],
  acquired_before: ['2020', ''],
  acquired_after: ['2020-02-30'],
  due_before: ['tomorrow'],
  due_after: ['2020-1-1'],
  ends_before: ['2030-13-01'],
  updated_since: ['now', '2024-13-01', ''],
  cursor: ['', 'made-up'],
  item_id: ['1'],
  status: ['done'],
  value_source: ['price', ''],
  by: ['item', ''],
}

/** Requests to an operation, for every answer that the description says it can give. */
export async function trialsOf(operation: Operation, world: World, services: Services): Promise<Trial[]> {
  const { ordinary, exhausted, broken, away } = services
  if (operation.id === 'list_removals') await removeTwo(world)
  const { own, others } = idsFor(operation, world)
  const at = (id: string) => prefix + operation.path.replace('{id}', id)
  const path = at(own[0] ?? '')
  const by = (status: number, about: string, more: Partial<Trial> = {}): Trial => {
    const token = world.cast.a.token.token
    return { status, about, path, service: ordinary, token, ...more }
  }
  const given = (status: number, name: string, value: string) =>
    by(status, `${name}=${value}`, { path: `${path}?${new URLSearchParams({ [name]: value })}` })
  return [
    ...own.map((id) => by(200, `id ${id}`, { path: at(id) })),
    ...(await conditionalTrials(operation, path, by, ordinary, world)),
    ...(await walkTrials(operation, path, by, ordinary, world)),
    ...Object.entries(operation.parameters).flatMap(([name, { examples, wrong }]) => [
      ...(taken[name] ?? examples.map(String)).map((value) => given(statusOf(operation, name, value), name, value)),
      ...(refused[name] ?? (wrong ? [''] : [])).map((value) => given(400, name, value)),
      by(400, `${name} twice`, { path: `${path}?${name}=1&${name}=1` }),
    ]),
    by(200, 'an unknown parameter', { path: `${path}?unknown=1` }),
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

type By = (status: number, about: string, more?: Partial<Trial>) => Trial

/** The service does not know removals that are years old. */
function statusOf({ id }: Operation, name: string, value: string): number {
  return id === 'list_removals' && name === 'updated_since' && value.startsWith('2020') ? 410 : 200
}

/** Requests of a client that has the answer already, or an older one. */
async function conditionalTrials(operation: Operation, path: string, by: By, service: TestService, world: World) {
  if (operation.photos) return []
  const { headers } = await service.get(path, { token: world.cast.a.token.token })
  return [
    by(304, 'the version that the client has', { headers: { 'If-None-Match': headers.etag } }),
    by(304, 'one of several versions', { headers: { 'If-None-Match': `"x", ${headers.etag}` } }),
    by(304, 'the same with an unknown parameter', { path: `${path}?x=1`, headers: { 'If-None-Match': headers.etag } }),
    by(304, 'any version', { headers: { 'If-None-Match': '*' } }),
    by(200, 'another version', { headers: { 'If-None-Match': 'W/"x"' } }),
  ]
}

/** Pages by their cursors, as far as the second; and cursors that are not those of the request. */
async function walkTrials(operation: Operation, path: string, by: By, service: TestService, world: World) {
  if (operation.list === undefined) return []
  const { headers } = await service.get(`${path}?per_page=1`, { token: world.cast.a.token.token })
  const next = /^<(.*)>; rel="next"$/.exec(String(headers.link))?.[1]
  if (next === undefined) {
    const edit = 'test/support/cast-inventory.ts: add a second row that this list shows'
    const wrong = `${path} has fewer than two records, so that no test walks its pages`
    throw new Error(gateMessage({ wrong, edit, run: 'npx vitest run test/openapi/responses.test.ts' }))
  }
  const { pathname, search, searchParams } = new URL(next)
  const cursor = searchParams.get('cursor') ?? ''
  return [
    by(200, 'the next page by its key', { path: pathname + search }),
    by(400, 'a cursor beside a page', { path: `${pathname}${search}&page=2` }),
    by(400, 'the cursor of another question', { path: `${pathname}?per_page=2&cursor=${cursor}` }),
    by(400, 'a cursor that was altered', { path: `${pathname}?per_page=1&cursor=W${cursor}` }),
  ]
}

/** Has two items leave their list. */
async function removeTwo(world: World): Promise<void> {
  for (const name of ['Gone', 'Sold']) {
    const id = await world.add('items', { name })
    await world.change('items', id, { archived_at: '2026-01-01T00:00:00Z' })
  }
}

/** Ids that an operation finds (an unused one, where it takes none), and ids that it does not. */
function idsFor({ path }: Operation, { cast }: World): { own: string[]; others: string[] } {
  if (!path.includes('{id}')) return { own: [''], others: [] }
  const kind = path.startsWith('/items') ? 'items' : 'policies'
  const { archived, ...live } = cast.a[kind]
  const own = Object.values<string>(kind === 'items' ? live : cast.a.policies)
  const foreign = Object.values<string>(cast.b[kind])[0] ?? ''
  return { own, others: [randomUUID(), foreign, 'malformed', '%ZZ', ...(kind === 'items' ? [archived] : [])] }
}

/** A token that has used up its quota of one request. */
async function exhaustedToken(world: World, service: TestService): Promise<string> {
  const { token } = await world.newStudio()
  await service.get(`${prefix}/account`, { token })
  return token
}

async function lapsedToken(world: World): Promise<string> {
  const { id, token } = await world.newStudio()
  await world.subscribe(id, 'studio', 'canceled', null, '2020-01-01', '2020-02-01')
  return token
}
