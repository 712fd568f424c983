import { beforeAll, expect, test, vi } from 'vitest'
import { digestOf } from '../../src/access/token.ts'
import { operations, prefix } from '../../src/api/operations.ts'
import { createToken } from '../support/cast.ts'
import type { TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/** Under load requests share a statement: of every studio, with every token there may be. Each is answered as if it were alone. */
const world = useWorld()

let service: TestService
let tokens: string[]

beforeAll(async () => {
  // Two connections, of which one is left to others: while a statement is under way the next fills up.
  service = await world.start({ poolSize: 2, cacheMaxBytes: 0, replicaUrls: [] })
  const { a, b } = world.cast
  const lapsed = await world.newStudio()
  await world.owner(`select access.set_subscription($1, 'studio', 'canceled')`, [lapsed.id])
  const revoked = await createToken(world.database, a.id, a.people.owner.id, 'Revoked')
  await world.owner('select access.revoke_token($1, $2, $3)', [a.id, revoked.id, a.people.owner.id])
  const other = await world.newStudio({ plan: 'pro' })
  const unknown = revoked.token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  tokens = [a.token.token, b.token.token, revoked.token, other.token, lapsed.token, unknown]
})

/** The addresses of every operation, of records of both studios and of none. */
function paths(): string[] {
  const { a, b } = world.cast
  const some = '3b0c1a52-9c1e-4b7e-8d5e-000000000000'
  return operations
    .flatMap(({ path }) => {
      if (!path.includes('{id}')) return [path, `${path}?per_page=2`, `${path}?per_page=1&updated_since=2020-01-01`]
      const ids = path.startsWith('/items')
        ? [a, b].map(({ items }) => items.microphone)
        : [a, b].map(({ policies }) => policies.active)
      return [...ids, some, 'no-uuid'].map((id) => path.replace('{id}', id))
    })
    .map((path) => prefix + path)
}

/** What is told by an answer, but for the moment at which photos were signed. */
const told = ({ status, text }: { status: number; text: string }) =>
  `${status} ${text.replace(/"(https?:[^"]*\/photos\/)[^"]*"/g, '"$1"').replace(/"request_id":"[^"]*"/, '')}`

test('each request is answered as if it were alone, whoever shares its statement', async () => {
  const questions = paths().flatMap((path) => tokens.map((token) => ({ path, token })))
  const alone: string[] = []
  for (const { path, token } of questions) alone.push(told(await service.get(path, { token })))
  expect(new Set(alone.map((answer) => answer.slice(0, 3)))).toEqual(new Set(['200', '401', '403', '404']))

  const query = vi.spyOn(service.api, 'query')
  for (let round = 0; round < 5; round += 1) {
    const mixed = questions.map((question, index) => ({ ...question, expected: alone[index] }))
    mixed.sort(() => Math.random() - 0.5)
    const answers = await Promise.all(
      mixed.map(async ({ path, token, expected }) => ({
        path,
        expected,
        got: told(await service.get(path, { token })),
      })),
    )
    for (const { path, expected, got } of answers) expect(got, path).toBe(expected)
  }

  // Which studios met in one statement of which operation.
  const met = new Map<string, Set<string>>()
  const known = new Map(tokens.map((token) => [digestOf(token).toString('hex'), token]))
  for (const [sent] of query.mock.calls as unknown as [{ text: string; values: unknown[] }][]) {
    if (!sent.text.includes('unnest')) continue
    const digests = (sent.values[0] as Buffer[]).map(
      (digest) => known.get(digest.toString('hex')) ?? expect.fail('whose?'),
    )
    expect(digests.length).toBeLessThanOrEqual(4)
    const name = /api_v1\.\w+/.exec(sent.text)?.[0] ?? sent.text
    met.set(name, new Set([...(met.get(name) ?? []), ...(new Set(digests).size > 1 ? digests : [])]))
  }
  expect(Object.fromEntries([...met].map(([name, who]) => [name, who.size]))).toEqual(
    Object.fromEntries(operations.map(({ id }) => [`api_v1.${id}`, tokens.length])),
  )
})
