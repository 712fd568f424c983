import { describe, expect, it } from 'vitest'
import { dropLogin, rotateLogin } from '../../src/analysts/logins.ts'
import { withClient } from '../support/server.ts'
import { failureOf, failureOfLogin, told, useOffice } from './support.ts'

const office = useOffice()

const seen = `select (select count(*)::int from items) as items, (select count(*)::int from account) as account`
const nothing = { items: 0, account: 0 }
/** What a client meets when the administrator ends its session, or when its connection has already closed. */
const over = /^57P01$|^Connection terminated|not queryable/

/** Maps a login by hand. */
const map = (login: string) =>
  told(office, 'insert into access.analyst_logins (login, studio_id) values ($1, $2)', [login, office.cast.a.id])

/** The events of a login, oldest first. */
async function eventsOf(login: string) {
  const rows = await told(office, 'select event from access.analyst_log where login = $1 order by id', [login])
  return rows.map(({ event }) => event)
}

describe('a session that is open', () => {
  it('sees nothing from its next statement on, in the same transaction too, when its login is unmapped', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await withClient(url, async (client) => {
      await client.query('begin')
      expect((await client.query(seen)).rows[0].items).toBeGreaterThan(0)
      await told(office, 'delete from access.analyst_logins where login = $1', [login])
      expect((await client.query(seen)).rows).toEqual([nothing])
    })
    expect(await eventsOf(login)).toEqual(['mapped', 'unmapped'])
  })

  it('sees nothing from its next statement on when its person leaves the studio, and the other logins stay', async () => {
    const { a } = office.cast
    const { url } = await office.hire(a.id, { userId: a.people.member.id })
    const colleague = await office.hire(a.id, { userId: a.people.admin.id })
    await withClient(url, async (client) => {
      expect((await client.query(seen)).rows[0].items).toBeGreaterThan(0)
      await told(office, 'select access.remove_member($1, $2)', [a.id, a.people.member.id])
      expect((await client.query(seen)).rows).toEqual([nothing])
    })
    await withClient(colleague.url, async (client) => {
      expect((await client.query(seen)).rows[0].items).toBeGreaterThan(0)
    })
  })

  it('is ended when its login is dropped, cannot come back, and no mapping is left for another of that name', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await withClient(url, async (client) => {
      await client.query(seen)
      const dropped = await dropLogin(office.database.adminUrl, login)
      expect(dropped).toEqual({ ended: 1, openBecause: null, keptBecause: null })
      expect(await failureOf(client.query(seen))).toMatch(over)
    })
    expect(await failureOfLogin(url)).toBe('28P01')
    expect(await eventsOf(login)).toEqual(['mapped', 'unmapped'])
    await told(office, `create role ${login} login in role studio_analyst password 'again'`)
    try {
      const again = new URL(url)
      again.password = 'again'
      await withClient(again.href, async (client) => {
        expect((await client.query(`select count(*)::int as items from api_v1.items`)).rows).toEqual([{ items: 0 }])
      })
    } finally {
      await told(office, `drop role ${login}`)
    }
  })

  it('that outlives its role, dropped by somebody’s own hand, gets an error or nothing', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await withClient(url, async (client) => {
      await client.query(seen)
      await told(office, `drop role ${login}`)
      const rows = await client.query(seen).then(
        (result) => result.rows,
        () => [nothing],
      )
      expect(rows).toEqual([nothing])
    })
    await dropLogin(office.database.adminUrl, login)
    expect(await told(office, 'select from access.analyst_logins where login = $1', [login])).toEqual([])
  })
})

describe('dropping', () => {
  it('a login that has a grant in another database cuts it off, and says why the role is still there', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    const elsewhere = new URL('/postgres', office.database.adminUrl).href
    const there = (text: string) => withClient(elsewhere, (admin) => admin.query(text))
    await told(office, `grant select on app.categories to ${login}`)
    await there(`grant usage on schema public to ${login}`)
    await withClient(url, async (client) => {
      const dropped = await dropLogin(office.database.adminUrl, login)
      expect(dropped).toMatchObject({ ended: 1, keptBecause: expect.stringMatching(/in database postgres/) })
      expect(await failureOf(client.query(seen))).toMatch(over)
    })
    expect(await failureOfLogin(url)).toMatch(/^28/)
    await there(`revoke all on schema public from ${login}`)
    expect(await dropLogin(office.database.adminUrl, login)).toMatchObject({ keptBecause: null })
  })

  it('takes a name with any character in it, and is that of a login mapped by hand', async () => {
    const login = `odd "; drop role studio_api; -- '%I`
    const quoted = `"${login.replaceAll('"', '""')}"`
    await told(office, `create role ${quoted} login in role studio_analyst`)
    await map(login)
    expect(await dropLogin(office.database.adminUrl, login)).toMatchObject({ keptBecause: null })
    expect(await told(office, 'select from pg_roles where rolname = $1', [login])).toEqual([])
    expect(await told(office, `select from pg_roles where rolname = 'studio_api'`)).toHaveLength(1)
  })

  it.each(['studio_api', 'studio_analyst', 'studio_owner', 'postgres', 'nobody', 'an unmapped analyst', ''])(
    'never touches what is no analyst of this database: %s',
    async (name) => {
      const login = name === 'an unmapped analyst' ? office.cast.unmapped.login : name
      expect(await failureOf(dropLogin(office.database.adminUrl, login))).toBe('SI404')
      expect(await failureOf(rotateLogin(office.database.adminUrl, login, 1))).toBe('SI404')
    },
  )

  it.each([
    ['a superuser', 'superuser in role studio_analyst'],
    ['who may make roles', 'createrole in role studio_analyst'],
    ['no member of studio_analyst', ''],
  ])('never touches what no analyst can be, although it was mapped by mistake: %s', async (_what, options) => {
    const login = `boss_${office.database.name}`
    await told(office, `create role ${login} login ${options}`)
    try {
      await map(login)
      expect(await failureOf(rotateLogin(office.database.adminUrl, login, 1))).toBe('SI404')
      expect(await failureOf(dropLogin(office.database.adminUrl, login))).toBe('SI404')
      const kept = 'select rolcanlogin as "in", rolvaliduntil as until from pg_roles where rolname = $1'
      expect(await told(office, kept, [login])).toEqual([{ in: true, until: null }])
    } finally {
      await told(office, 'delete from access.analyst_logins where login = $1', [login])
      await told(office, `drop role if exists ${login}`)
    }
  })
})

describe('the record of who was mapped to which studio', () => {
  it('has every change with the studio, the person and who made it', async () => {
    const { a, b } = office.cast
    const { login } = await office.hire(a.id, { userId: a.people.owner.id })
    const moved = 'update access.analyst_logins set studio_id = $2, user_id = null where login = $1'
    await told(office, moved, [login, b.id])
    await told(office, `update access.analyst_logins set statement_limit = '60 s' where login = $1`, [login])
    await dropLogin(office.database.adminUrl, login)
    const [{ me }] = (await told(office, 'select session_user::text as me')) as [{ me: string }]
    const text = 'select event, studio_id, user_id, done_by from access.analyst_log where login = $1 order by id'
    const of = [
      { studio_id: a.id, user_id: a.people.owner.id, done_by: me },
      { studio_id: b.id, user_id: null, done_by: me },
    ]
    const events = of.flatMap((mapped) => ['mapped', 'unmapped'].map((event) => ({ event, ...mapped })))
    expect(await told(office, text, [login])).toEqual(events)
  })

  it.each([
    'update access.analyst_log set login = login',
    'delete from access.analyst_log',
    'truncate access.analyst_log',
  ])('stays as it was written: %s', async (text) => expect(await failureOf(told(office, text))).toBe('42501'))
})
