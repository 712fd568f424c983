import { afterAll, beforeAll, expect, test } from 'vitest'
import { abortMove, finishMove } from '../../src/apps/mover/abort.ts'
import { moveStudio } from '../../src/apps/mover/move.ts'
import { placesOf, statusOf } from '../../src/apps/mover/places.ts'
import { asOwner } from '../../src/database/session.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'

let [first, second]: TestDatabase[] = []
let studio: string
beforeAll(async () => {
  ;[first, second] = [await createTestDatabase(), await createTestDatabase()]
  const made = await asOwner(first.adminUrl, (transaction) =>
    transaction.query<{ id: string }>(
      `select access.create_studio('North', 'nora@example.com', 'Nora', 'studio', 'UTC', 'EUR') as id`,
    ),
  )
  studio = made[0]?.id ?? ''
})
afterAll(() => Promise.all([first?.drop(), second?.drop()]))

const eu1 = () => ({ name: 'eu1', url: first?.adminUrl ?? '' })
const eu2 = () => ({ name: 'eu2', url: second?.adminUrl ?? '' })
const wishes = { address: '', stopAtMost: 30, report: () => undefined }

test('a studio does not move within one database, or one server', async () => {
  await expect(moveStudio(eu1(), { ...eu1(), name: 'eu2' }, studio, wishes)).rejects.toThrow(
    'eu1 and eu2 are the same database',
  )
  await expect(moveStudio(eu1(), eu2(), studio, wishes)).rejects.toThrow('eu1 and eu2 are databases of one server')
  expect(await statusOf(eu1())).toMatchObject({ cell: 'eu1', moves: [] })
  expect(await statusOf(eu2())).toMatchObject({ cell: 'eu2', moves: [] })
})

test('there is nothing to abort or to finish before a studio has moved', async () => {
  expect(await abortMove(eu1(), eu2(), studio)).toBe(false)
  expect(await finishMove(eu1(), eu2(), studio)).toBe(false)
})

test('what a studio left behind is where it was, for the move to that cell alone', async () => {
  const cells = [eu1(), eu2()]
  expect(await placesOf(cells, 'north', 'eu2')).toMatchObject({
    places: [{ id: studio, moving: false }],
    unreachable: [],
  })
  await asAdmin(first as TestDatabase, (admin) =>
    admin.query(
      `insert into access.studio_moves (id, studio_id, direction, peer, state)
       values (gen_random_uuid(), $1, 'leaving', 'eu2', 'moved')`,
      [studio],
    ),
  )
  expect((await placesOf(cells, studio, 'eu2')).places).toMatchObject([{ id: studio, moving: true }])
  expect((await placesOf(cells, studio, 'eu3')).places).toEqual([])
  await expect(finishMove(eu1(), eu2(), studio)).rejects.toThrow('eu2 does not say that it has the studio')
  await expect(moveStudio(eu1(), eu2(), studio, wishes)).rejects.toThrow('eu2 was restored')
})
