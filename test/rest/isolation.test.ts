import { beforeAll, expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import type { Reply, RequestOptions } from '../support/client.ts'
import { gateMessage } from '../support/gate-message.ts'
import { pathsOf, useWorld } from '../support/world.ts'

const world = useWorld()

/** All ids of a studio. */
function idsOf(studio: 'a' | 'b'): string[] {
  const { id, items, policies, locations, maintenance, removed, people, token } = world.cast[studio]
  const persons = Object.values(people).map((person) => person.id)
  return [items, policies, locations, maintenance, removed].flatMap(Object.values<string>).concat(id, token.id, persons)
}

async function ask(path: string, more: RequestOptions = {}): Promise<Reply> {
  const reply = await world.get(path, more)
  world.cast.expectNoCanary(reply.bytes)
  world.cast.expectNoCanary(reply.rawHeaders.join('\n'))
  const asked = decodeURIComponent(path)
  const foreign = idsOf('b').filter((id) => reply.text.includes(id) && !asked.includes(id))
  expect(foreign, `${path} shows ids of another studio`).toEqual([])
  return reply
}

beforeAll(async () => {
  // The log has B's requests as well.
  const { token, items } = world.cast.b
  for (const { path } of operations) await world.get(prefix + path.replace('{id}', items.microphone), token)
})

test('what is looked for can be found: B’s own answers have its canaries, or at least its ids', async () => {
  for (const path of pathsOf(world.cast.b)) {
    const { status, text } = await world.get(path, world.cast.b.token)
    expect(status).toBe(200)
    if (idsOf('b').some((id) => text.includes(id))) continue
    const wrong = gateMessage({
      wrong: `nothing in studio B’s answer to ${path} shows that it is B’s, so no test would see it leak`,
      edit: 'test/support/cast-inventory.ts: a row that this list shows, with a text or of an item of the cast',
      run: 'npx vitest run test/rest/isolation.test.ts',
    })
    expect(() => world.cast.expectNoCanary(text), wrong).toThrow(/found/)
  }
})

test('every endpoint, for every id of A, returns nothing of B', async () => {
  for (const { path } of operations) {
    for (const id of path.includes('{id}') ? idsOf('a') : ['']) await ask(prefix + path.replace('{id}', id))
  }
})

test('every endpoint, for every id of B, returns nothing of B: 404', async () => {
  for (const { path } of operations.filter((operation) => operation.path.includes('{id}'))) {
    for (const id of idsOf('b')) expect((await ask(prefix + path.replace('{id}', id))).status).toBe(404)
  }
})

test('filters that name what B has find what A has, or nothing', async () => {
  const { b, canary } = world.cast
  const filters = [
    ...idsOf('b').map((id) => ['/v1/maintenance', { item_id: id }] as const),
    ['/v1/items', { category: canary }],
    ['/v1/items', { category: b.name }],
    ['/v1/items', { category: 'Microphones', coverage_state: 'under_covered', updated_since: '1900-01-01' }],
    ['/v1/locations', { updated_since: '1900-01-01' }],
    ['/v1/policies', { updated_since: '1900-01-01' }],
    ['/v1/removals', {}],
    ['/v1/removals', { resource: 'policy' }],
    ['/v1/items', { studio_id: b.id, 'studio.id': b.id, studio: b.name }],
    ['/v1/account', { studio_id: b.id }],
  ] as const
  for (const [path, query] of filters) {
    const reply = await ask(`${path}?${new URLSearchParams(query)}`)
    expect(reply.status).toBe(200)
    if ('item_id' in query) expect(reply.json).toMatchObject({ data: [], meta: { total: 0 } })
  }
})

test('totals, counts and pages are those of A alone', async () => {
  const before = await ask('/v1/items')
  const account = await ask('/v1/account')
  for (let count = 0; count < 5; count += 1) {
    await world.add('items', { name: `${world.cast.canary} more` }, world.cast.b.id)
  }
  expect((await ask('/v1/items')).text).toBe(before.text)
  expect((await ask('/v1/account')).text).toBe(account.text)
  for (const state of ['fully_covered', 'under_covered', 'uninsured', 'value_unknown']) {
    const filtered = await ask(`/v1/items?coverage_state=${state}`)
    const { data, meta } = filtered.json as { data: unknown[]; meta: { total: number } }
    expect(meta.total).toBe(data.length)
  }
})

const shown = (path: string, what: string) =>
  gateMessage({
    wrong: `${path} shows ${what}`,
    edit: 'the query that returns it; or, if it may be shown from now on, the list in test/rest/isolation.test.ts or the word in test/support/cast-inventory.ts',
    run: 'npx vitest run test/rest/isolation.test.ts',
  })

test('no response shows hidden columns: notes, keys, ids of rows and people', async () => {
  for (const studio of ['a', 'b'] as const) {
    const { id, items, people, token } = world.cast[studio]
    for (const path of pathsOf(world.cast[studio])) {
      const { text } = await world.get(path, token)
      expect(text, shown(path, 'a hidden word')).not.toContain(world.cast.unseen)
      for (const person of Object.values(people)) expect(text).not.toContain(person.id)
      if (!path.includes(items.microphone)) expect(text).not.toContain(id)
      for (const field of ['studio_id', 'owner_user_id', 'source_document_id', 'notes', 'equipment_id']) {
        expect(text, shown(path, field)).not.toContain(`"${field}"`)
      }
    }
  }
})

test('the log of both studios’ requests contains nothing of B', () => {
  const log = world.service.log()
  expect(log).toContain(world.cast.b.token.id)
  world.cast.expectNoCanary(log)
})
