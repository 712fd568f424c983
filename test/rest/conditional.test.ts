import { expect, test } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

/** Everything that has an ETag, as studio A asks. */
const paths = () =>
  operations
    .filter(({ photos }) => !photos)
    .map(({ path }) => {
      const { items, policies } = world.cast.a
      return prefix + path.replace('{id}', path.startsWith('/items') ? items.microphone : policies.active)
    })

const ask = (path: string, tag?: string, more: object = {}) =>
  world.get(path, { headers: tag === undefined ? {} : { 'If-None-Match': tag }, ...more })

async function tags(): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const path of paths()) found.set(path, String((await ask(path)).headers.etag))
  return found
}

const statuses = async (known: Map<string, string>) =>
  new Set(await Promise.all([...known].map(async ([path, tag]) => (await ask(path, tag)).status)))

test('what has not changed is a 304 without a body, from every process, cached or not', async () => {
  const known = await tags()
  expect(known.size).toBe(11)
  expect(await statuses(known)).toEqual(new Set([304]))
  const [other, uncached] = [await world.start(), await world.start({ cacheMaxBytes: 0 })]
  for (const service of [other, uncached]) {
    for (const [path, tag] of known) {
      // The first time it does not know whose token that is, the second time it does.
      for (let n = 0; n < 2; n++) {
        const reply = await service.get(path, { token: world.cast.a.token.token, headers: { 'If-None-Match': tag } })
        expect([reply.status, reply.text], path).toEqual([304, ''])
      }
    }
  }
})

test('a change anywhere in the studio ends every tag of it', async () => {
  const { items, policies, maintenance } = world.cast.a
  const changes: (() => Promise<unknown>)[] = [
    () => world.change('items', items.guitar, { name: 'Other guitar' }),
    () => world.change('policies', policies.open, { carrier: 'Another' }),
    () => world.change('maintenance_records', maintenance.due, { vendor: 'Another' }),
    () => world.add('locations', { name: 'Attic' }),
    () => world.add('policy_assignments', { item_id: items.guitar, policy_id: policies.open }),
    () => world.change('items', items.bare, { archived_at: new Date() }),
    () => world.change('items', items.bare, { archived_at: null }),
  ]
  for (const change of changes) {
    const known = await tags()
    await change()
    expect(await statuses(known), String(change)).toEqual(new Set([200]))
  }
})

test('a change in another studio ends none', async () => {
  const known = await tags()
  await world.add('items', { name: 'Theirs' }, world.cast.b.id)
  expect(await statuses(known)).toEqual(new Set([304]))
})

test('the tags of another studio are none of this one', async () => {
  const known = await tags()
  for (const [path, tag] of known) {
    if (path.includes(world.cast.a.items.microphone) || path.includes(world.cast.a.policies.active)) continue
    const reply = await ask(path, tag, { token: world.cast.b.token.token })
    expect([reply.status, reply.text.length > 0]).toEqual([200, true])
  }
})
