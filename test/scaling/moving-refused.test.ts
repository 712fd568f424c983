import { beforeAll, expect, test } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { asOwner } from '../../src/database/session.ts'
import { writeAs } from './own-database.ts'
import { endProcesses } from './processes.ts'
import { abort, leftBehind, makeTwoCells, move, moveAndDie, moveAndFinish, type TwoCells } from './two-cells.ts'

/** Moves that are refused, or fail at first, and are completed when the cause is removed. */
endProcesses()
let cells: TwoCells
beforeAll(async () => {
  cells = await makeTwoCells()
  await addItems(2_000)
}, 300_000)

const addItems = (count: number) =>
  writeAs(
    cells.one.url,
    cells.studio,
    `insert into app.items (studio_id, name, category) select $1, 'Item ' || n, 'Microphones' from generate_series(1, $2) n`,
    [cells.studio.id, count],
  )

const inBoth = (text: string) =>
  Promise.all([cells.one, cells.two].map(({ url }) => withClient(url, (admin) => admin.query(text))))
const toNewer = () =>
  inBoth(`insert into graphile_migrate.migrations (filename, hash) values ('999999.sql', 'sha1:newer')`)
const toThisRelease = () => inBoth(`delete from graphile_migrate.migrations where filename = '999999.sql'`)

test('a program of an older release than the cells moves nothing, whenever they were migrated', async () => {
  const older = 'one has the schema 999999.sql, and this program that of 0'
  await toNewer()
  await expect(move(cells.one, cells.two, cells.studio.id)).rejects.toThrow(older)
  await toThisRelease()
  await moveAndDie(cells.one, cells.two, cells.studio.id, 'copied')
  await toNewer()
  await expect(move(cells.one, cells.two, cells.studio.id)).rejects.toThrow(older)
  await addItems(1)
  expect(await abort(cells.one, cells.two, cells.studio.id)).toBe(true)
  await toThisRelease()
}, 300_000)

const max = '6dd3b8a0-0f7e-4d0e-9f0c-2d3c3a1f9a11'
const addStranger = () =>
  asOwner(cells.two.url, (transaction) =>
    transaction.query(`insert into access.users (id, email, name) values ($1, 'other@example.com', 'Other')`, [max]),
  )
const removeStranger = () =>
  asOwner(cells.two.url, (transaction) => transaction.query('delete from access.users where id = $1', [max]))

test('somebody who has another e-mail in the target is noticed before anything is copied', async () => {
  await asOwner(cells.one.url, async (transaction) => {
    await transaction.query(`insert into access.users (id, email, name) values ($1, 'max@example.com', 'Max')`, [max])
    await transaction.query(`select access.add_member($1, 'max@example.com', 'Max', 'member')`, [cells.studio.id])
  })
  await addStranger()
  const steps: string[] = []
  await expect(move(cells.one, cells.two, cells.studio.id, { done: (step) => steps.push(step) })).rejects.toThrow(
    `two: the user ${max} has another e-mail there`,
  )
  expect(steps).toEqual([])
  expect(await leftBehind(cells.two, cells.studio.id)).toEqual([])
  await removeStranger()
}, 300_000)

test('a switch that fails does not keep the replication from going on: the same command completes the move', async () => {
  await moveAndDie(cells.one, cells.two, cells.studio.id, 'copied')
  await addStranger()
  await addItems(5_000)
  await expect(move(cells.one, cells.two, cells.studio.id)).rejects.toThrow('has another e-mail there')
  await addItems(10)
  await removeStranger()
  const moved = await moveAndFinish(cells.one, cells.two, cells.studio.id)
  expect(moved.rows).toBeGreaterThan(7_000)
  expect(await leftBehind(cells.one, cells.studio.id)).toEqual([])
}, 300_000)
