import { describe, expect, it } from 'vitest'
import { useWorld } from '../support/world.ts'
import { made, pagesOf, partsOf } from './support.ts'

const world = useWorld()

describe.each([null, '1925-06-30', '2030-01-01'])('the report of %s', (day) => {
  it('has nothing of another studio, and nothing that is never shown, in any format', async () => {
    const csv = await made(world, { format: 'csv', day })
    world.cast.expectNoCanary(csv.bytes)
    world.cast.expectNoCanary(JSON.stringify(csv.outcome))
    for (const part of partsOf((await made(world, { format: 'xlsx', day })).bytes).values())
      world.cast.expectNoCanary(part)
    for (const page of await pagesOf((await made(world, { format: 'pdf', day })).bytes)) {
      world.cast.expectNoCanary(page)
      world.cast.expectNoCanary(page.replaceAll(',', ''))
    }
  })
})

it('of the other studio has its own, so that the search above can find something', async () => {
  const { bytes, outcome } = await made(world, { format: 'csv', studioId: world.cast.b.id })
  expect(() => world.cast.expectNoCanary(bytes)).toThrow()
  expect(outcome.totals.all.items).toBeGreaterThan(3)
})

it('is a snapshot: neither its items nor its totals show later writes', async () => {
  const studio = await world.newStudio()
  for (let n = 0; n < 3; n += 1) await world.add('items', { name: `Item ${n}`, purchase_price: '5.00' }, studio.id)
  const { withSchedule } = await import('../../src/report/schedule.ts')
  const url = world.database.urlFor('studio_api')
  await withSchedule({ url, studioId: studio.id, day: null, format: 'csv' }, async ({ totals, batches }) => {
    await world.add('items', { name: 'Later', purchase_price: '7.00' }, studio.id)
    const names: string[] = []
    for await (const batch of batches) names.push(...batch.map(({ name }) => name))
    expect(names).toEqual(['Item 0', 'Item 1', 'Item 2'])
    expect(totals.all).toMatchObject({ items: 3, value: '15.00' })
  })
})

it('is read without a right to write', async () => {
  const { withStudioReader } = await import('../../src/database/session.ts')
  const url = world.database.urlFor('studio_writer')
  await expect(
    withStudioReader(url, world.cast.a.id, ({ query }) => query(`update app.items set name = 'x'`)),
  ).rejects.toThrow('read-only transaction')
})
