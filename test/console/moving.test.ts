import { expect, test } from 'vitest'
import { asAdmin } from '../support/server.ts'
import { tokensOf, useConsole } from './support.ts'

const world = useConsole()
const { as } = tokensOf(world)

test('while a studio moves to another cell its pages are shown, and a form says to try again', async () => {
  const owner = await world.as(world.cast.a.people.owner)
  const members = world.tokens().replace('/tokens', '/members')
  await asAdmin(world.database, (admin) =>
    admin.query(
      `insert into access.studio_moves (id, studio_id, direction, peer, state)
       values (gen_random_uuid(), $1, 'leaving', 'eu2', 'switching')`,
      [world.cast.a.id],
    ),
  )
  expect((await as(owner).get(members)).status).toBe(200)
  const answer = await as(owner).post(members, { email: 'late@example.com', role: 'member', name: '' })
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(answer.text).toContain('The studio is being moved and cannot be changed for a few seconds.')
  await asAdmin(world.database, (admin) => admin.query('delete from access.studio_moves'))
  expect((await as(owner).post(members, { email: 'late@example.com', role: 'member', name: '' })).status).toBe(303)
})
