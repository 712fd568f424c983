import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { issue, type Session, useSql } from '../support.ts'
import { join, leave } from './people.ts'

const sql = useSql()
const unique = (what: string) => `${what}-${randomBytes(4).toString('hex')}`
const email = () => `${unique('someone')}@example.com`

describe('access.create_studio', () => {
  const create = (
    columns: { name?: string; email?: string; plan?: string; timezone?: string; currency?: string } = {},
  ) =>
    sql.owner.value('select access.create_studio($1, $2, $3, $4, $5, $6)', [
      columns.name ?? unique('Studio'),
      columns.email ?? email(),
      'Olga',
      columns.plan ?? 'studio',
      columns.timezone ?? 'Europe/Berlin',
      columns.currency ?? 'EUR',
    ])

  test('makes the studio, its owner, an active subscription and its one default location', async () => {
    const name = unique('Studio')
    const id = await create({ name, plan: 'pro_insure', currency: 'SEK' })
    const made = await sql.admin.row(
      `select s.name, s.timezone, s.currency, m.role, b.plan, b.status, l.name as location, l.is_default,
         b.current_period_end > b.current_period_start as has_period
       from app.studios s join access.members m on m.studio_id = s.id join access.subscriptions b on b.studio_id = s.id
         join app.locations l on l.studio_id = s.id
       where s.id = $1`,
      [id],
    )
    expect(made).toEqual({
      ...{ name, timezone: 'Europe/Berlin', currency: 'SEK', role: 'owner', plan: 'pro_insure', status: 'active' },
      ...{ location: name, is_default: true, has_period: true },
    })
  })

  test('recognises an owner by the e-mail, however it is cased', async () => {
    const address = email()
    const [one, two] = [await create({ email: address }), await create({ email: address.toUpperCase() })]
    const owners = await sql.admin.rows('select distinct user_id from access.members where studio_id in ($1, $2)', [
      one,
      two,
    ])
    expect(owners).toHaveLength(1)
  })

  test('leaves the session of another studio as it was', async () => {
    const outer = await sql.studio()
    await sql.owner.begin(outer)
    await create()
    expect(await sql.owner.value(`select current_setting('studio.id')`)).toBe(outer.id)
    await sql.owner.rows('rollback')
  })

  test.each([
    ['a time zone nobody knows', { timezone: 'Mars/Olympus' }, '22023'],
    ['an abbreviation with an offset', { timezone: '+02' }, '22023'],
    ['an empty time zone', { timezone: '' }, '22023'],
    ['a currency that is no code', { currency: 'Euro' }, '23514'],
    ['a currency in small letters', { currency: 'eur' }, '23514'],
    ['a plan that is not sold', { plan: 'free' }, '23514'],
    ['an empty name', { name: '' }, '23514'],
    ['an e-mail that is none', { email: 'nobody' }, '23514'],
  ])('refuses %s and leaves nothing behind', async (_what, columns, code) => {
    const count = () => sql.admin.value('select count(*) from app.studios')
    const before = await count()
    await expect(create(columns)).rejects.toMatchObject({ code })
    expect(await count()).toBe(before)
  })
})

describe('access.add_member', () => {
  test('changes the role of somebody who is a member already, and nothing else', async () => {
    const [studio, address] = [await sql.studio(), email()]
    const add = (name: string, role: string) =>
      sql.owner.value('select access.add_member($1, $2, $3, $4)', [studio.id, address, name, role])
    const id = await add('Mia', 'member')
    expect(await add('Somebody else', 'admin')).toBe(id)
    expect(await sql.admin.row('select name, role from access.members where user_id = $1', [id])).toEqual({
      name: 'Mia',
      role: 'admin',
    })
  })

  test('knows owner, admin and member', async () => {
    const studio = await sql.studio()
    const add = sql.owner.value('select access.add_member($1, $2, $3, $4)', [studio.id, email(), '', 'guest'])
    await expect(add).rejects.toMatchObject({ code: '23514' })
  })
})

describe('finding', () => {
  test('a studio by its id or its name, however cased', async () => {
    const name = unique('Höhle')
    const studio = await sql.studio({ name })
    const found = (text: string) => sql.owner.value('select access.find_studio($1)', [text])
    for (const text of [name, name.toUpperCase(), studio.id, studio.id.toUpperCase()]) {
      expect(await found(text)).toBe(studio.id)
    }
    await expect(found(unique('nothing'))).rejects.toMatchObject({ code: 'SI404' })
    const twin = await sql.studio({ name: name.toLowerCase() })
    const error = await found(name).catch((e: unknown) => e)
    expect(error).toMatchObject({ code: 'SI409', hint: expect.stringContaining(studio.id) })
    expect((error as { hint: string }).hint).toContain(twin.id)
  })

  test('a user by the e-mail, however cased', async () => {
    const studio = await sql.studio()
    const user = await join(sql, studio, 'member')
    const address = await sql.admin.value('select email from access.users where id = $1', [user])
    expect(await sql.owner.value('select access.find_user($1)', [address.toUpperCase()])).toBe(user)
    await expect(sql.owner.value('select access.find_user($1)', [email()])).rejects.toMatchObject({ code: 'SI404' })
  })

  test('the first owner of a studio', async () => {
    const studio = await sql.studio()
    await join(sql, studio, 'owner')
    const ownerOf = () => sql.owner.value('select access.owner_of($1)', [studio.id])
    expect(await ownerOf()).toBe(studio.owner)
    await sql.owner.rows(`update access.members set role = 'admin' where studio_id = $1`, [studio.id])
    await expect(ownerOf()).rejects.toMatchObject({ code: 'SI404' })
  })
})

describe('access.set_subscription', () => {
  const set = (...values: unknown[]) => sql.owner.rows('select access.set_subscription($1, $2, $3, $4, $5, $6)', values)

  test.each([
    ['a trial without an end', ['studio', 'trialing', null, null, null]],
    ['a period that ends before it starts', ['studio', 'active', null, '2026-02-01', '2026-01-01']],
    ['a status that is not known', ['studio', 'paused', null, null, null]],
    ['a plan that is not sold', ['gold', 'active', null, null, null]],
  ])('refuses %s', async (_what, values) => {
    const studio = await sql.studio()
    await expect(set(studio.id, ...values)).rejects.toMatchObject({ code: '23514' })
  })
})

test('access.list_tokens shows every token of a studio, newest first, and never a digest', async () => {
  const studio = await sql.studio()
  const member = await join(sql, studio, 'member')
  await sql.admin.rows('select pg_sleep(0.002)') // created_at of the two differs
  const { tokenId } = await issue(sql, { studio: studio.id, issuer: studio.owner, scope: member, name: 'scoped' })
  const list = () =>
    sql.owner.rows<{ name: string; scope_email: string | null }>('select * from access.list_tokens($1)', [studio.id])
  expect(await list()).toMatchObject([
    {
      token_id: tokenId,
      name: 'scoped',
      scope_email: expect.stringContaining('member-'),
      last_used_at: null,
      revoked_at: null,
    },
    { name: 'books', scope_email: null },
  ])
  await leave(sql, studio, member)
  expect((await list())[0]).toMatchObject({ name: 'scoped', scope_email: null })
  expect(Object.keys((await list())[0] ?? {})).not.toContain('digest')
})

test('access.schema_version is the newest migration, and the REST pool may ask for it', async () => {
  const newest = await sql.admin.value('select max(filename) from graphile_migrate.migrations')
  expect(await sql.api.value('select access.schema_version()')).toBe(newest)
})

test('access.has_migration knows the migrations of this database by their hashes, and the REST pool may ask for it', async () => {
  const hashes = await sql.admin.rows<{ hash: string }>('select hash from graphile_migrate.migrations')
  for (const { hash } of hashes) expect(await sql.api.value('select access.has_migration($1)', [hash])).toBe(true)
  expect(await sql.api.value('select access.has_migration($1)', ['sha1:0'])).toBe(false)
  expect(await sql.api.value('select access.has_migration(null)')).toBe(false)
})

test('nobody but the owner runs the management functions', async () => {
  const sessions: [string, Session][] = []
  for (const role of ['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'] as const) {
    sessions.push([role, await sql.connect(role)])
  }
  for (const [role, session] of sessions) {
    for (const call of [
      `create_studio('x', 'a@b.c', 'x')`,
      `add_member(null, null, null, null)`,
      `remove_member(null, null)`,
      `set_subscription(null, null, null)`,
      `set_financial_year(null, 4)`,
      `find_studio('x')`,
      `find_user('x')`,
      `owner_of(null)`,
      `list_tokens(null)`,
      `token_activity(null, null)`,
      `enter_studio(null)`,
    ]) {
      await expect(session.rows(`select access.${call}`), `${role}: ${call}`).rejects.toMatchObject({ code: '42501' })
    }
  }
})
