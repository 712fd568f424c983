import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { signIn } from '../access/people.ts'
import { type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let console: Session
const digest = (text: string) => createHash('sha256').update(text).digest()

const member = (role: string, email: string) =>
  sql.owner.value('select access.add_member($1, $2, $3, $4)', [studio.id, email, email, role])

beforeAll(async () => {
  studio = await sql.studio()
  console = await sql.connect('studio_console')
  await member('admin', 'admin@example.com')
  await member('member', 'member@example.com')
})

describe('a signed-in person', () => {
  test('as a member reads neither people, plan nor audit log', async () => {
    const session = await signIn(console, 'member@example.com')
    for (const call of ['list_members($1, $2)', 'list_audit_log($1, $2)', 'read_plan($1, $2)']) {
      await expect(console.rows(`select * from console.${call}`, [session, studio.id])).rejects.toMatchObject({
        code: '42501',
      })
    }
    const admin = await signIn(console, 'admin@example.com')
    expect((await console.rows('select * from console.list_members($1, $2)', [admin, studio.id])).length).toBe(3)
    expect(await console.rows('select plan, status from console.read_plan($1, $2)', [admin, studio.id])).toEqual([
      { plan: 'studio', status: 'active' },
    ])
    expect(
      (await console.rows('select * from console.list_audit_log($1, $2)', [admin, studio.id])).length,
    ).toBeGreaterThan(0)
  })
})

describe('without a session', () => {
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
  test.each(questions)('%s is refused without a session, and with an expired or an ended one', async (question) => {
    const ended = await signIn(console, 'admin@example.com')
    await console.rows('select console.sign_out($1)', [ended])
    const expired = await signIn(console, 'admin@example.com', '2020-01-01')
    for (const session of [digest('nobody'), null, ended, expired]) {
      await expect(console.rows(`select * from ${question}`, [session])).rejects.toMatchObject({ code: 'SI401' })
      expect(await console.rows('select * from console.list_studios($1)', [session])).toEqual([])
    }
  })
})

test('an assertion opens one session, even with two at once; expired ones are forgotten', async () => {
  const assertion = randomBytes(32)
  const two = await sql.connect('studio_console')
  const attempt = (session: Session) =>
    session
      .rows('select console.sign_in($1, $2, now() + interval $$1 minute$$, $3, $$infinity$$)', [
        'admin@example.com',
        assertion,
        randomBytes(32),
      ])
      .then(
        () => 'in',
        (error) => error.code,
      )
  expect((await Promise.all([attempt(console), attempt(two)])).toSorted()).toEqual(['SI409', 'in'])
  await sql.owner.rows(`update access.console_assertions set expires_at = now() - interval '1 second'`)
  await signIn(console, 'admin@example.com')
  expect(await sql.admin.value('select count(*) from access.console_assertions')).toBe('1')
})
