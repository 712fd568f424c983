import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { CastStudio } from '../support/cast.ts'
import { fingerprint } from '../support/client.ts'
import { watchStatements } from '../support/statements.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const unknown = randomUUID()

/** The caller may not know of anything with these ids. */
const ids: [cause: string, id: (ours: string, theirs: string) => string][] = [
  ['an id that nothing has', () => unknown],
  ['an id of another studio', (_, theirs) => theirs],
  ['an id of another studio in capitals', (_, theirs) => theirs.toUpperCase()],
  ['a broken escape', () => '%ZZ'],
  ['a NUL character', (ours) => `${ours}%00`],
  ['braces', (ours) => `{${ours}}`],
  ['no hyphens', (ours) => ours.replaceAll('-', '')],
  ['a prefix', (ours) => `urn:uuid:${ours}`],
  ['a digit too many', (ours) => `${ours}0`],
  ['a space in front', (ours) => `%20${ours}`],
  ['digits of another script', () => encodeURIComponent('١'.repeat(8))],
  ['a way upwards', (ours) => `..%2f${ours}`],
  ['SQL', () => encodeURIComponent("' or '1'='1")],
  ['a word', () => 'null'],
  ['5 kB', () => 'a'.repeat(5_000)],
]

const resources = [
  { path: '/v1/items/:id', kind: 'items' },
  { path: '/v1/items/:id/policies', kind: 'items' },
  { path: '/v1/policies/:id', kind: 'policies' },
] as const

describe.each(resources)('GET $path', ({ path, kind }) => {
  const at = (id: string) => path.replace(':id', id)
  const idOf = ({ items, policies }: CastStudio) => (kind === 'items' ? items.microphone : policies.active)
  const [owned, foreign] = [() => idOf(world.cast.a), () => idOf(world.cast.b)]

  test.each(ids)('%s: 404 with the same bytes as every other', async (_, id) => {
    const reply = await world.get(at(id(owned(), foreign())))
    expect(reply.status).toBe(404)
    expect(fingerprint(reply)).toBe(fingerprint(await world.get(at(unknown))))
  })

  test('the id of another resource: 404 with the same bytes', async () => {
    const { items, policies } = world.cast.a
    const reply = await world.get(at(kind === 'items' ? policies.active : items.microphone))
    expect(fingerprint(reply)).toBe(fingerprint(await world.get(at(unknown))))
    expect(reply.status).toBe(404)
  })

  test('a malformed, an unknown and a foreign id each cost one statement of the same name', async () => {
    const { names, restore } = watchStatements(world.service.pools)
    for (const id of ['%ZZ', 'x', unknown, foreign()]) await world.get(at(id))
    restore()
    expect(names).toHaveLength(4)
    expect(new Set(names).size).toBe(1)
  })
})

test('an archived item is not found, with the same bytes as one that never was', async () => {
  for (const tail of ['', '/policies']) {
    const archived = await world.get(`/v1/items/${world.cast.a.items.archived}${tail}`)
    expect(archived.status).toBe(404)
    expect(fingerprint(archived)).toBe(fingerprint(await world.get(`/v1/items/${unknown}${tail}`)))
  }
})

test('no assignment is read before the item is known to be the caller’s', async () => {
  const { a, b } = world.cast
  const statusOf = async (id: string) => (await world.get(`/v1/items/${id}/policies`)).status
  await world.without('api_v1.assignments', async () => {
    for (const id of [unknown, b.items.microphone, a.items.archived, '%ZZ']) expect(await statusOf(id)).toBe(404)
    expect(await statusOf(a.items.microphone)).toBe(500)
  })
  expect(await statusOf(a.items.microphone)).toBe(200)
})

test('all three resources answer 404 alike, and so does an address that does not exist', async () => {
  const replies = await Promise.all(resources.map(({ path }) => world.get(path.replace(':id', unknown))))
  expect(new Set(replies.map(fingerprint)).size).toBe(1)
  const bodies = [...replies, await world.get('/v1/nothing'), await world.get('/nothing')].map(({ status, json }) => ({
    ...(json as object),
    request_id: status,
  }))
  for (const body of bodies) expect(body).toEqual(bodies[0])
})

test('paths are exact: other case, a slash at the end, a missing version are not found, with a token or without', async () => {
  const { json: expected } = await world.get<object>('/v1/nothing')
  const { microphone } = world.cast.a.items
  for (const path of [
    ...['/v1/items/', '/v1/Items', '/V1/items', '/items', `/v1/items/${microphone}/`, '/v1//items', '/v2/items', '/v1'],
    ...['/v1/', '//v1/items', '/v1/%69tems', '/v1/items//policies', '/v1/items%2f', '/healthz/'],
  ]) {
    for (const options of [{}, { token: null }, { method: 'POST' }]) {
      const { status, json } = await world.get<object>(path, options)
      expect([path, status, { ...json, request_id: '' }]).toEqual([path, 404, { ...expected, request_id: '' }])
    }
  }
})
