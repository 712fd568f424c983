import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { signIn } from './access/people.ts'
import { type Session, type Studio, useSql } from './support.ts'

// The pages ask who somebody is before they ask for data. Here the database alone refuses.
const sql = useSql()
let studio: Studio
let console: Session
let admin: Buffer
let member: Buffer

const join = (role: string, email: string) =>
  sql.owner.value('select access.add_member($1, $2, $2, $3)', [studio.id, email, role])

beforeAll(async () => {
  studio = await sql.studio()
  console = await sql.connect('studio_console')
  await join('admin', 'admin@example.com')
  await join('member', 'member@example.com')
  admin = await signIn(console, 'admin@example.com')
  member = await signIn(console, 'member@example.com')
})

test('an admin reads people, plan and audit log; a member is refused', async () => {
  for (const call of ['list_members', 'list_audit_log', 'read_plan']) {
    const read = (session: Buffer) => console.rows(`select * from console.${call}($1, $2)`, [session, studio.id])
    expect(await read(admin), call).not.toEqual([])
    await expect(read(member), call).rejects.toMatchObject({ code: '42501' })
  }
})

test('every question is refused without a session, and with an expired or an ended one', async () => {
  const uuid = '00000000-0000-0000-0000-000000000000'
  const questions = [
    `console.list_tokens($1, '${uuid}')`,
    `console.list_members($1, '${uuid}')`,
    `console.read_plan($1, '${uuid}')`,
    `console.token_activity($1, '${uuid}', '${uuid}')`,
    `console.issue_token($1, '${uuid}', 'x', null, 'abcd', '', '')`,
    `console.revoke_token($1, '${uuid}', '${uuid}')`,
    `console.list_audit_log($1, '${uuid}')`,
    `console.admit_member($1, '${uuid}', 'mia@example.com', '', 'member')`,
    `console.change_role($1, '${uuid}', '${uuid}', 'owner')`,
    `console.dismiss_member($1, '${uuid}', '${uuid}')`,
    `console.keep_upload($1, '${uuid}', '', '{}', '')`,
    `console.read_upload($1, '${uuid}', '')`,
  ]
  const ended = await signIn(console, 'admin@example.com')
  await console.rows('select console.sign_out($1)', [ended])
  const expired = await signIn(console, 'admin@example.com', '2020-01-01')
  for (const session of [randomBytes(32), null, ended, expired]) {
    for (const question of questions) {
      const asked = console.rows(`select * from ${question}`, [session])
      await expect(asked, question).rejects.toMatchObject({ code: 'SI401' })
    }
    expect(await console.rows('select * from console.list_studios($1)', [session])).toEqual([])
  }
})

test('the items of a studio open for its members alone, and for nobody while it is archived', async () => {
  const other = await sql.studio()
  const open = (of: Studio) => sql.api.rows('select version from access.open_member_session($1, $2)', [member, of.id])
  expect(await open(studio)).toHaveLength(1)
  await expect(open(other)).rejects.toMatchObject({ code: 'SI404' })
  await sql.owner.rows('select access.archive_studio($1, true, $2)', [studio.id, studio.owner])
  await expect(open(studio)).rejects.toMatchObject({ code: 'SI404' })
})
