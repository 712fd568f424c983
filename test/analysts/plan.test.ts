import { expect, it } from 'vitest'
import { withClient } from '../support/server.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()

it('a Studio trial that has lapsed ends the API, and not what an analyst reads: the items, and every location', async () => {
  const { a } = world.cast
  const attic = await world.add('locations', { name: 'Under the roof' })
  const shed = await world.add('locations', { name: 'Shed' })
  await world.change('items', a.items.microphone, { location_id: attic })
  const paths = ['/v1/items', '/v1/locations', '/v1/removals'] as const
  const asked = () => Promise.all(paths.map(async (path) => (await world.get(path)).status))
  const read = () =>
    withClient(a.analyst.url, async (analyst) => ({
      places: (await analyst.query('select id, name, is_default from api_v1.locations order by id')).rows,
      items: (
        await analyst.query(`select i.id, l.name from api_v1.items i
          left join api_v1.locations l on l.id = i.location_id order by i.id`)
      ).rows,
    }))
  const before = await read()
  expect(await asked()).toEqual([200, 200, 200])
  expect(before.places.length).toBeGreaterThan(2)
  expect(before.items).toContainEqual({ id: a.items.microphone, name: 'Under the roof' })

  await world.owner(`select access.set_subscription($1, 'studio', 'trialing', now() - interval '1 second')`, [a.id])
  expect(await asked()).toEqual([403, 403, 403])
  expect(await read()).toEqual(before)
  const account = await withClient(a.analyst.url, (analyst) => analyst.query('select plan_tier from api_v1.account'))
  expect(account.rows).toEqual([{ plan_tier: null }])

  await world.write(({ query }) => query('delete from app.locations where id = $1', [shed]))
  const { places } = await read()
  expect(places).toEqual(before.places.filter(({ id }) => id !== shed))
  const removed = await withClient(a.analyst.url, (analyst) =>
    analyst.query('select id, reason from api_v1.removals where id = $1', [shed]),
  )
  expect(removed.rows).toEqual([{ id: shed, reason: 'deleted' }])
})

it('on a plan below Studio an analyst reads the one implicit location, whether it is paid for or not', async () => {
  const { a } = world.cast
  for (const [status, ends] of [
    ['active', null],
    ['canceled', '2020-01-01T00:00:00Z'],
  ]) {
    await world.owner(`select access.set_subscription($1, 'pro', $2, null, null, $3)`, [a.id, status, ends])
    const { rows } = await withClient(a.analyst.url, (analyst) =>
      analyst.query('select is_default from api_v1.locations'),
    )
    expect(rows).toEqual([{ is_default: true }])
  }
})
