import { beforeAll, expect, test } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { operations, prefix } from '../../src/api/operations.ts'
import { createToken } from '../support/cast.ts'
import type { TestService } from '../support/service.ts'
import { useWorld } from '../support/world.ts'

/** Requests of all studios and tokens share a connection; each gets the response that it would
 * get alone. */
const world = useWorld()

let service: TestService
let tokens: string[]

beforeAll(async () => {
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

/** Addresses of an operation: of records of both studios, and of none. */
function pathsOf({ path }: Operation): string[] {
  const { a, b } = world.cast
  const queries = ['', '?per_page=2', '?per_page=1&updated_since=2020-01-01']
  if (!path.includes('{id}')) return queries.map((query) => prefix + path + query)
  const known = path.startsWith('/items')
    ? [a.items.microphone, b.items.microphone]
    : [a.policies.active, b.policies.active]
  return [...known, '3b0c1a52-9c1e-4b7e-8d5e-000000000000', 'no-uuid'].map((id) => prefix + path.replace('{id}', id))
}

/** A response without the moment at which photos were signed. */
const told = ({ status, text }: { status: number; text: string }) =>
  `${status} ${text.replace(/"(https?:[^"]*\/photos\/)[^"]*"/g, '"$1"').replace(/"request_id":"[^"]*"/, '')}`

test.each(operations)(
  '$id answers each request as if it were alone, with other users on the connection before and after it',
  async (operation) => {
    const questions = pathsOf(operation).flatMap((path) => tokens.map((token) => ({ path, token })))
    const alone = new Map<object, string>()
    for (const question of questions) alone.set(question, told(await service.get(question.path, question)))
    const statuses = [...alone.values()].map((answer) => answer.slice(0, 3))
    expect(statuses).toEqual(expect.arrayContaining(['200', '401', '403']))
    for (let round = 0; round < 2; round += 1) {
      const mixed = questions.toSorted(() => Math.random() - 0.5)
      const answers = await Promise.all(mixed.map((question) => service.get(question.path, question)))
      for (const [index, question] of mixed.entries()) {
        expect(told(answers[index] ?? expect.fail()), question.path).toBe(alone.get(question))
      }
    }
  },
)
