import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { signIn } from './access/people.ts'
import { inStudio, type Session, type Studio, useSql } from './support.ts'

const sql = useSql()
let studio: Studio
let other: Studio
let console: Session
let owner: Buffer
let admin: Buffer
let member: Buffer
let digest: Buffer

const emailOf = (user: string) => sql.admin.value('select email from access.users where id = $1', [user])
const join = (role: string, email: string) =>
  sql.owner.value('select access.add_member($1, $2, $2, $3)', [studio.id, email, role])

beforeAll(async () => {
  studio = await sql.studio()
  other = await sql.studio()
  console = await sql.connect('studio_console')
  await join('admin', 'admin@example.com')
  await join('member', 'member@example.com')
  owner = await signIn(console, await emailOf(studio.owner))
  admin = await signIn(console, 'admin@example.com')
  member = await signIn(console, 'member@example.com')
})
beforeEach(() => {
  digest = createHash('sha256').update(randomUUID()).digest()
})

test('an admin reads people, plan and audit log; a member is refused', async () => {
  const read = (session: Buffer, call: string) =>
    console.rows(`select * from console.${call}($1, $2)`, [session, studio.id])
  for (const call of ['list_members', 'list_audit_log', 'read_plan']) {
    await expect(read(member, call), call).rejects.toMatchObject({ code: '42501' })
  }
  expect((await read(admin, 'list_members')).length).toBeGreaterThanOrEqual(3)
  expect(await read(admin, 'read_plan')).toMatchObject([{ plan: 'studio', status: 'active' }])
  expect(await read(admin, 'list_audit_log')).not.toEqual([])
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

test('an assertion opens one session, even with two at once; expired ones are forgotten', async () => {
  const assertion = randomBytes(32)
  const two = await sql.connect('studio_console')
  const signingIn = 'select console.sign_in($1, $2, now() + interval $$1 minute$$, $3, $$infinity$$)'
  const attempt = (session: Session) =>
    session.rows(signingIn, ['admin@example.com', assertion, randomBytes(32)]).then(
      () => 'in',
      (error) => error.code,
    )
  expect((await Promise.all([attempt(console), attempt(two)])).toSorted()).toEqual(['SI409', 'in'])
  await sql.owner.rows(`update access.console_assertions set expires_at = now() - interval '1 second'`)
  await signIn(console, 'admin@example.com')
  expect(await sql.admin.value('select count(*) from access.console_assertions')).toBe('1')
})

const keep = (session: Buffer, into = studio.id) =>
  console.rows('select console.keep_upload($1, $2, $3, $4, $5)', [
    ...[session, into, Buffer.from('a,b'), '{"kind":"items"}', digest],
  ])
const read = (session: Buffer, of = studio.id, name = digest) =>
  console.rows('select * from console.read_upload($1, $2, $3)', [session, of, name])
const record = (session: Buffer, name = digest) =>
  sql.writer.value('select access.record_import($1, $2, $3)', [session, name, '{"kind":"items"}'])

test('an upload is read only by the person who stored it', async () => {
  await keep(owner)
  expect(await read(owner)).toEqual([{ content: Buffer.from('a,b'), choices: { kind: 'items' } }])
  expect(await read(admin)).toEqual([])
  await expect(read(member)).rejects.toMatchObject({ code: '42501' })
  await expect(read(await signIn(console, await emailOf(other.owner)))).rejects.toMatchObject({ code: 'SI404' })
})

describe('an import is recorded in the audit log', () => {
  const inTransaction = <Result>(work: () => Promise<Result>, of = studio.id) => inStudio(sql.writer, { id: of }, work)
  const entries = () =>
    sql.admin.value(`select count(*) from access.audit_log where studio_id = $1 and event = 'import'`, [studio.id])

  test('once for each upload', async () => {
    await keep(owner)
    const before = Number(await entries())
    await inTransaction(() => record(owner))
    await expect(inTransaction(() => record(owner))).rejects.toMatchObject({ code: 'SI409' })
    expect(Number(await entries())).toBe(before + 1)
  })

  test.each([
    ['a member', () => member, () => studio.id, '42501'],
    ['the owner of another studio', () => owner, () => other.id, 'SI404'],
  ])('not for %s, who stores no upload either', async (_who, session, of, code) => {
    await expect(keep(session(), of())).rejects.toMatchObject({ code })
    await keep(owner)
    await expect(inTransaction(() => record(session()), of())).rejects.toMatchObject({ code })
  })

  test('not for who does not manage the studio any more', async () => {
    const user = await join('admin', 'left@uploads.example')
    const left = await signIn(console, 'left@uploads.example')
    await keep(left)
    await sql.admin.rows(`update access.members set role = 'member' where user_id = $1`, [user])
    await expect(inTransaction(() => record(left))).rejects.toMatchObject({ code: '42501' })
  })
})
