import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { issue, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let other: Studio
let console: Session
const digest = (text: string) => createHash('sha256').update(text).digest()

/** A session of the person with an e-mail; its digest. */
async function signIn(email: string, expires = 'infinity'): Promise<Buffer> {
  const session = randomBytes(32)
  await console.rows('select console.sign_in($1, $2, now() + interval $$1 minute$$, $3, $4)', [
    email,
    randomBytes(32),
    session,
    expires,
  ])
  return session
}

const emailOf = (user: string) => sql.admin.value('select email from access.users where id = $1', [user])
const member = (role: string, email: string) =>
  sql.owner.value('select access.add_member($1, $2, $3, $4)', [studio.id, email, email, role])

beforeAll(async () => {
  studio = await sql.studio()
  other = await sql.studio()
  console = await sql.connect('studio_console')
  await member('admin', 'admin@example.com')
  await member('member', 'member@example.com')
})

describe('whoever is signed in', () => {
  test('is found by e-mail in any case, and sees the studios they are a member of by name', async () => {
    const session = await signIn((await emailOf(studio.owner)).toUpperCase())
    expect(
      await console.rows('select studio_id, role, public_api, may_manage, plan from console.list_studios($1)', [
        session,
      ]),
    ).toEqual([{ studio_id: studio.id, role: 'owner', public_api: true, may_manage: true, plan: 'studio' }])
  })

  test('sees the tokens of their studio without a digest, and those of no other', async () => {
    const { tokenId } = await issue(sql, { studio: studio.id, issuer: studio.owner, name: 'Seen' })
    const session = await signIn('member@example.com')
    const tokens = await console.rows('select * from console.list_tokens($1, $2)', [session, studio.id])
    expect(tokens.map((token) => Reflect.get(token, 'token_id'))).toContain(tokenId)
    // A token of another studio has no activity in this one.
    const foreign = await issue(sql, { studio: other.id, issuer: other.owner })
    await sql.owner.rows(
      `insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
       values ($1, $2, now(), 'GET /v1/items', 200, 1)`,
      [other.id, foreign.tokenId],
    )
    expect(
      await console.rows('select * from console.token_activity($1, $2, $3)', [session, studio.id, foreign.tokenId]),
    ).toEqual([])
    expect(Object.keys(tokens[0] ?? {}).filter((name) => /digest|secret/.test(name))).toEqual([])
    for (const call of ['list_tokens($1, $2)', 'list_members($1, $2)', 'list_audit_log($1, $2)', 'read_plan($1, $2)']) {
      await expect(console.rows(`select * from console.${call}`, [session, other.id])).rejects.toMatchObject({
        code: 'SI404',
      })
    }
    await expect(
      console.rows('select * from console.token_activity($1, $2, $3)', [session, other.id, tokenId]),
    ).rejects.toMatchObject({ code: 'SI404' })
  })

  test('and is no owner or admin reads neither the people, nor the plan, nor the audit log', async () => {
    const session = await signIn('member@example.com')
    for (const call of ['list_members($1, $2)', 'list_audit_log($1, $2)', 'read_plan($1, $2)']) {
      await expect(console.rows(`select * from console.${call}`, [session, studio.id])).rejects.toMatchObject({
        code: '42501',
      })
    }
    const admin = await signIn('admin@example.com')
    expect((await console.rows('select * from console.list_members($1, $2)', [admin, studio.id])).length).toBe(3)
    expect(await console.rows('select plan, status from console.read_plan($1, $2)', [admin, studio.id])).toEqual([
      { plan: 'studio', status: 'active' },
    ])
    expect(
      (await console.rows('select * from console.list_audit_log($1, $2)', [admin, studio.id])).length,
    ).toBeGreaterThan(0)
  })

  test('and is removed from the studio sees it no more, with the next question', async () => {
    const id = await member('admin', 'leaving@example.com')
    const session = await signIn('leaving@example.com')
    await console.rows('select * from console.list_tokens($1, $2)', [session, studio.id])
    await sql.owner.rows('select access.remove_member($1, $2)', [studio.id, id])
    await expect(console.rows('select * from console.list_tokens($1, $2)', [session, studio.id])).rejects.toMatchObject(
      { code: 'SI404' },
    )
    expect(await console.rows('select studio_id from console.list_studios($1)', [session])).toEqual([
      { studio_id: null },
    ])
  })
})

test('a studio for which the public API is off has no tokens to see or to make', async () => {
  const session = await signIn('admin@example.com')
  await sql.owner.rows('select access.set_public_api($1, false)', [studio.id])
  await expect(console.rows('select * from console.list_tokens($1, $2)', [session, studio.id])).rejects.toMatchObject({
    code: 'SI404',
  })
  await expect(issue(sql, { studio: studio.id, issuer: studio.owner })).rejects.toMatchObject({ code: 'SI402' })
  expect(await console.rows('select public_api, plan from console.list_studios($1)', [session])).toEqual([
    { public_api: false, plan: null },
  ])
  await sql.owner.rows('select access.set_public_api($1, true)', [studio.id])
})

test('a studio without a subscription has no plan', async () => {
  const { id, owner } = await sql.studio()
  const session = await signIn(await emailOf(owner))
  await sql.owner.rows('delete from access.subscriptions where studio_id = $1', [id])
  expect(await console.rows('select * from console.read_plan($1, $2)', [session, id])).toEqual([
    {
      ...{ plan: null, status: null, trial_ends_at: null, period_start: null, period_end: null, renews: null },
      ...{ public_api: false, includes_api: false },
    },
  ])
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
  test.each(questions)('%s is refused: nobody, null, expired and ended alike', async (question) => {
    const ended = await signIn('admin@example.com')
    await console.rows('select console.sign_out($1)', [ended])
    const expired = await signIn('admin@example.com', '2020-01-01')
    for (const session of [digest('nobody'), null, ended, expired]) {
      await expect(console.rows(`select * from ${question}`, [session])).rejects.toMatchObject({ code: 'SI401' })
      expect(await console.rows('select * from console.list_studios($1)', [session])).toEqual([])
    }
  })

  test('these are all the questions there are, besides coming and going', async () => {
    const granted = await sql.admin.rows<{ name: string }>(
      `select p.oid::regproc::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname in ('console', 'access', 'app', 'valuation', 'api_v1')
         and has_function_privilege('studio_console', p.oid, 'execute') order by 1`,
    )
    const asked = questions.map((question) => question.split('(')[0])
    const coming = ['console.list_studios', 'console.sign_in', 'console.sign_out', 'console.use_once']
    expect(granted.map(({ name }) => name)).toEqual([...asked, ...coming].toSorted())
  })
})

describe('the login of the console', () => {
  test.each([
    'select * from access.tokens',
    'select * from access.console_sessions',
    'select * from access.audit_log',
    'select * from app.items',
    'select * from api_v1.items',
    `select access.issue_token(null, null, 'x', null, 'abcd', '', '')`,
    'select console.signed_in(null)',
    'delete from access.audit_log',
  ])('is denied: %s', async (text) => {
    await expect(console.rows(text)).rejects.toMatchObject({ code: '42501' })
  })
})

test('an assertion opens one session, also for two at once; what is expired is forgotten', async () => {
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
  await signIn('admin@example.com')
  expect(await sql.admin.value('select count(*) from access.console_assertions')).toBe('1')
})
