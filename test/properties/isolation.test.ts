import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { deeper } from '../support/depth.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Words that a hostile caller of A may know of B, filled before the first test. */
const known: string[] = []
beforeAll(() => {
  const { b, a, canary } = world.cast
  for (const { id, name, items, policies, locations, maintenance, people, token } of [b, a]) {
    known.push(id, name, token.id, token.prefix)
    known.push(...Object.values(people).flatMap((person) => [person.id, person.email]))
    known.push(...[items, policies, locations, maintenance].flatMap(Object.values<string>))
  }
  known.push(canary, `' or '1'='1`, `%`, '*', '..', '%2e%2e%2f', 'null', '0')
})

const word = fc.oneof(
  { weight: 6, arbitrary: fc.nat(10_000).map((index) => known[index % known.length] ?? '') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }).map((text) => text.toWellFormed()) },
  { weight: 1, arbitrary: fc.constantFrom('1', '100', '9999999999', '2020-01-01') },
  { weight: 1, arbitrary: fc.constantFrom('uninsured', 'scheduled', 'Microphones') },
)
const parameter = fc.constantFrom(
  ...['page', 'per_page', 'category', 'coverage_state', 'updated_since', 'item_id', 'status'],
  ...['studio_id', 'location_id', 'on', 'by'],
)
const query = fc.array(fc.tuple(parameter, word), { maxLength: 4 })
const path = fc.oneof(
  fc.tuple(fc.constantFrom(...operations.map((operation) => operation.path)), word),
  fc.tuple(fc.constantFrom('/studios/{id}', '/items/{id}/photos', '/{id}', '/items/{id}/policies/{id}'), word),
)
const header = fc.record({
  name: fc.constantFrom(
    ...['X-Studio-Id', 'X-Forwarded-For', 'X-Http-Method-Override', 'Accept', 'Range', 'If-None-Match', 'Cookie'],
  ),
  value: word.map((text) => encodeURIComponent(text)),
})
const method = fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST', 'OPTIONS')

test('no request of A’s gets anything of B’s, and each answer is one that the API documents', async () => {
  const statuses = new Map<number, number>()
  await fc.assert(
    fc.asyncProperty(method, path, query, header, async (verb, [template, id], asked, { name, value }) => {
      const at = prefix + template.replaceAll('{id}', encodeURIComponent(id))
      const reply = await world.get(`${at}?${new URLSearchParams(asked)}`, { method: verb, headers: { [name]: value } })
      world.cast.expectNoCanary(reply.bytes)
      world.cast.expectNoCanary(reply.rawHeaders.join('\n'))
      // `*` matches any version.
      const anyVersion = name === 'If-None-Match' && value === '*'
      expect([200, 400, 404, 405, 410, ...(anyVersion ? [304] : [])]).toContain(reply.status)
      statuses.set(reply.status, (statuses.get(reply.status) ?? 0) + 1)
    }),
    { numRuns: 250 * deeper },
  )
  for (const status of [200, 400, 404, 405]) expect(statuses.get(status), String(status)).toBeGreaterThan(5)
})
