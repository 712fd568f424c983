import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { abortMove, finishMove } from '../../src/apps/mover/abort.ts'
import { inCell } from '../../src/apps/mover/cell.ts'
import { leftoversIn } from '../../src/apps/mover/clean-up.ts'
import { leave } from '../../src/apps/mover/leave-source.ts'
import { recordMove } from '../../src/apps/mover/state.ts'
import { asOwner } from '../../src/database/session.ts'
import { createTestDatabase, type TestDatabase } from '../support/server.ts'

/** A source, and a target that is its copy: as after the switch, but for the replication. */
let source: TestDatabase
let target: TestDatabase
let studioId: string
beforeEach(async () => {
  source = await createTestDatabase()
  studioId = await makeStudio('North', 'nora@example.com')
  await makeStudio('South', 'sam@example.com')
  await addMember('max@example.com')
  // Of another studio as well.
  await addMember('sam@example.com')
  target = await createTestDatabase(source.name)
})
afterEach(() => Promise.all([source?.drop(), target?.drop()]))

const eu1 = () => ({ name: 'eu1', url: source.adminUrl })
const eu2 = () => ({ name: 'eu2', url: target.adminUrl })

async function makeStudio(name: string, email: string): Promise<string> {
  const made = await asOwner(source.adminUrl, (transaction) =>
    transaction.query<{ id: string }>(`select access.create_studio($1, $2, 'Somebody', 'studio', 'UTC', 'EUR') as id`, [
      name,
      email,
    ]),
  )
  return made[0]?.id ?? ''
}

/** Adds a member as somebody does: the studio's audit log says so. */
const addMember = (email: string) =>
  asOwner(source.adminUrl, (transaction) =>
    transaction.query(`select access.admit_member($1, $2, 'Somebody', 'member', access.owner_of($1))`, [
      studioId,
      email,
    ]),
  )

/** Whom the source knows by e-mail. */
async function known(): Promise<string[]> {
  const rows = await asOwner(source.adminUrl, (transaction) =>
    transaction.query<{ email: string }>(
      `select email from access.users where email not like '%@removed.invalid' order by 1`,
    ),
  )
  return rows.map(({ email }) => email)
}

test('the people of a studio are forgotten with the copy that it left, but for those whom another studio knows', async () => {
  const id = randomUUID()
  await inCell(eu2(), (cell) => recordMove(cell, { id, studioId, direction: 'arriving', peer: 'eu1', state: 'active' }))
  await inCell(eu1(), async (cell) => {
    await recordMove(cell, { id, studioId, direction: 'leaving', peer: 'eu2', state: 'switching' })
    await leave(cell, { id, studio_id: studioId })
  })
  // As long as the copy is there, its log shows who they are.
  expect(await known()).toEqual(['max@example.com', 'nora@example.com', 'sam@example.com'])
  expect(await finishMove(eu1(), eu2(), studioId)).toBe(true)
  expect(await known()).toEqual(['sam@example.com'])
})

test('an abort removes what the replication made, also when the studio was removed meanwhile', async () => {
  const id = randomUUID()
  const made = `studio_move_${id.replaceAll('-', '').slice(0, 12)}`
  await inCell(eu2(), async (cell) => {
    await cell.client.query('set session_replication_role = replica')
    await cell.client.query('delete from app.studios where id = $1', [studioId])
    await recordMove(cell, { id, studioId, direction: 'arriving', peer: 'eu1', state: 'arriving' })
  })
  await inCell(eu1(), async (cell) => {
    await recordMove(cell, { id, studioId, direction: 'leaving', peer: 'eu2', state: 'aborted' })
    await cell.client.query(`create publication ${made}`)
    expect(await leftoversIn(cell)).toContain(`publication ${made}`)
  })
  expect(await abortMove(eu1(), eu2(), studioId)).toBe(true)
  expect(await inCell(eu1(), leftoversIn)).not.toContain(`publication ${made}`)
})

test('a studio of which a move is not over yet is not moved again, and the message says how to find out', async () => {
  const move = { studioId, direction: 'leaving', peer: 'eu2', state: 'copying' } as const
  await inCell(eu1(), async (cell) => {
    await recordMove(cell, { ...move, id: randomUUID() })
    await expect(recordMove(cell, { ...move, id: randomUUID() })).rejects.toMatchObject({
      name: 'MoveFailed',
      message: 'eu1: another move of the studio is not over there',
      hint: expect.stringContaining('studio move --status'),
    })
  })
})
