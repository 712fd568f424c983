import { beforeAll, beforeEach, expect, test } from 'vitest'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let everybody: Record<string, Session>

beforeAll(async () => {
  studio = await sql.studio()
  everybody = { 'a superuser': sql.admin, owner: sql.owner, writer: sql.writer, api: sql.api }
  for (const role of ['studio_recorder', 'studio_console', 'studio_graphql'] as const) {
    everybody[role] = await sql.connect(role)
  }
  // A role that reads only may say otherwise for its session: it is the grants that must hold.
  for (const session of Object.values(everybody)) await session.rows('set default_transaction_read_only = off')
})

const log = () => sql.admin.rows('select * from access.audit_log order by studio_id, id')
let before: unknown[]
beforeEach(async () => {
  before = await log()
  expect(before.length).toBeGreaterThan(0)
})

const changes: [what: string, text: string][] = [
  ['an update', `update access.audit_log set event = 'token.revoked'`],
  ['an update of one column', `update access.audit_log set token_name = 'x' where true`],
  ['a delete', 'delete from access.audit_log'],
  ['a truncate', 'truncate access.audit_log'],
  ['a truncate of what it refers to', 'truncate app.studios cascade'],
  [
    'an insert that overwrites',
    `insert into access.audit_log overriding system value select * from access.audit_log
     on conflict (studio_id, id) do update set token_name = 'x'`,
  ],
  [
    'a merge',
    `merge into access.audit_log l using (select 1) as one (n) on true when matched then update set token_name = 'x'`,
  ],
]

test.each(changes)('%s is refused to everybody, and nothing is lost', async (_what, text) => {
  for (const [who, session] of Object.entries(everybody)) {
    const changing = inStudio(session, studio, (s) => s.rows(text))
    await expect(changing, who).rejects.toMatchObject({ code: '42501' })
  }
  expect(await log()).toEqual(before)
})

test.each([
  ['the studio', 'app.studios where id = $1'],
  ['its members', 'access.users where id in (select actor_user_id from access.audit_log where studio_id = $1)'],
])('%s cannot be deleted from under it', async (_what, rows) => {
  await expect(sql.owner.rows(`delete from ${rows}`, [studio.id])).rejects.toMatchObject({ code: '23503' })
  expect(await log()).toEqual(before)
})
