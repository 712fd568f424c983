import { afterAll, beforeAll, expect, test } from 'vitest'
import { abortMove, finishMove } from '../../src/apps/mover/abort.ts'
import { inCell } from '../../src/apps/mover/cell.ts'
import { placesOf, statusOf } from '../../src/apps/mover/locate.ts'
import { moveStudio } from '../../src/apps/mover/move.ts'
import { requireEmptyTarget } from '../../src/apps/mover/preflight.ts'
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
const options = { address: '', stopAtMost: 30, report: () => undefined }

test('a studio does not move within one database, or one server', async () => {
  await expect(moveStudio(eu1(), { ...eu1(), name: 'eu2' }, studio, options)).rejects.toThrow(
    'eu1 and eu2 are the same database',
  )
  await expect(moveStudio(eu1(), eu2(), studio, options)).rejects.toThrow('eu1 and eu2 are databases of one server')
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
  await expect(moveStudio(eu1(), eu2(), studio, options)).rejects.toThrow('eu2 was restored')
})

test('a studio does not move to a cell that has its copy still, and the message says how to delete that', async () => {
  const back = inCell(eu2(), (source) => inCell(eu1(), (target) => requireEmptyTarget(source, target, studio)))
  await expect(back).rejects.toMatchObject({
    message: 'eu1 already has the studio',
    hint: `An earlier move left it: studio move ${studio} --from eu1 --to eu2 --finish`,
  })
})

test('a copy is not deleted by a program that does not know the schema of the cells', async () => {
  const known = async (cell: TestDatabase, state: string) => {
    await asAdmin(cell, async (admin) => {
      await admin.query(`delete from access.studio_moves where studio_id = $1`, [studio])
      await admin.query(
        `insert into access.studio_moves (id, studio_id, direction, peer, state) values ('${move}', $1, $2, $3, $4)`,
        [studio, state === 'moved' ? 'leaving' : 'arriving', state === 'moved' ? 'eu2' : 'eu1', state],
      )
      await admin.query(`insert into graphile_migrate.migrations (filename, hash) values ('999999.sql', 'sha1:newer')`)
    })
  }
  const move = '6dd3b8a0-0f7e-4d0e-9f0c-2d3c3a1f9a11'
  await known(first as TestDatabase, 'moved')
  await known(second as TestDatabase, 'active')
  await expect(finishMove(eu1(), eu2(), studio)).rejects.toThrow(
    'eu1 has the schema 999999.sql, and this program that of 0',
  )
  const kept = await asAdmin(first as TestDatabase, (admin) =>
    admin.query('select from app.studios where id = $1', [studio]),
  )
  expect(kept.rowCount).toBe(1)
})
