import { beforeAll, describe, expect, it } from 'vitest'
import { dropLogin } from '../../src/analysts/logins.ts'
import { verifierMatches } from '../../src/migration/passwords.ts'
import type { Analyst } from '../support/cast.ts'
import { withClient } from '../support/server.ts'
import { failureOf, failureOfLogin, told, useOffice } from './support.ts'

const office = useOffice()

let analyst: Analyst
beforeAll(async () => {
  const { cast, hire } = office
  analyst = await hire(cast.a.id, { userId: cast.a.people.admin.id, connections: 3, timeout: 30 })
})

it('is a member only of studio_analyst, and owns and is granted nothing', async () => {
  const [row] = await told(
    office,
    `select rolsuper, rolcreaterole, rolcreatedb, rolreplication, rolbypassrls, rolconnlimit,
       rolvaliduntil between now() + interval '23 hours' and now() + interval '25 hours' as for_a_day,
       array(select roleid::regrole::text from pg_auth_members where member = r.oid) as groups,
       (select count(*)::int from pg_shdepend where refclassid = 'pg_authid'::regclass and refobjid = r.oid) as things
     from pg_roles r where rolname = $1`,
    [analyst.login],
  )
  expect(row).toEqual({
    ...{ rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolreplication: false, rolbypassrls: false },
    ...{ rolconnlimit: 3, for_a_day: true, groups: ['studio_analyst'], things: 0 },
  })
})

it('has a name that tells nothing, as every login of the server can read it, and no comment', async () => {
  expect(analyst.login).toMatch(/^analyst_[0-9a-f]{12}$/)
  const comments = await told(office, `select description from pg_shdescription where classoid = 'pg_authid'::regclass`)
  expect(comments.filter(({ description }) => !String(description).startsWith('studio'))).toEqual([])
})

it('has a password of which the server knows only the verifier', async () => {
  const text = 'select rolpassword from pg_authid where rolname = $1'
  const [stored] = await told<{ rolpassword: string }>(office, text, [analyst.login])
  const password = new URL(analyst.url).password
  expect(password).toMatch(/^[\w-]{32}$/)
  expect(stored?.rolpassword).not.toContain(password)
  expect(verifierMatches(stored?.rolpassword ?? null, password)).toBe(true)
})

describe('what binds a login is out of its hands', () => {
  it.each([
    ['temp_file_limit', '1GB', '-1'],
    ['log_min_messages', 'fatal', 'log'],
    ['log_min_error_statement', 'panic', 'error'],
    ['compute_query_id', 'on', 'off'],
    ['track_activities', 'on', 'off'],
  ])('%s is %s', async (name, value, wanted) => {
    await withClient(analyst.url, async (client) => {
      await client.query('set default_transaction_read_only = off')
      expect((await client.query(`show ${name}`)).rows[0][name]).toBe(value)
      expect(await failureOf(client.query(`set ${name} = '${wanted}'`))).toBe('42501')
      expect(await failureOf(client.query(`alter role current_user set ${name} = '${wanted}'`))).toBe('42501')
      const url = new URL(analyst.url)
      url.searchParams.set('options', `-c ${name}=${wanted}`)
      expect(await failureOfLogin(url.href.replaceAll('+', '%20'))).toBe('42501')
    })
  })

  it.each([`valid until 'infinity'`, 'connection limit -1', 'createrole'])('%s', async (change) => {
    await withClient(analyst.url, async (client) => {
      await client.query('set default_transaction_read_only = off')
      expect(await failureOf(client.query(`alter role current_user ${change}`))).toBe('42501')
    })
    const text = `select rolvaliduntil < now() + interval '2 days' as ends, rolconnlimit from pg_roles where rolname = $1`
    expect(await told(office, text, [analyst.login])).toEqual([{ ends: true, rolconnlimit: 3 }])
  })

  it('an end that has passed: the login is refused', async () => {
    const late = await office.hire(office.cast.a.id)
    expect(await failureOfLogin(late.url)).toBe('done')
    await told(office, `alter role ${late.login} valid until '2020-01-01'`)
    expect(await failureOfLogin(late.url)).toBe('28P01')
  })
})

describe('no login is made', () => {
  const verifier = 'SCRAM-SHA-256$4096:c2FsdA==$a:b'
  const create = (studio: string, person: string | null, secret = verifier, end = 'tomorrow', connections = 1) =>
    failureOf(
      told(office, `select access.create_analyst($1, $2, $3, $4::text::timestamptz, $5, '1 minute')`, [
        studio,
        person,
        secret,
        end,
        connections,
      ]),
    )
  // Other test files make logins on this server too, with other passwords.
  const made = () => told(office, `select rolname from pg_authid where rolpassword in ($1, 'secret')`, [verifier])

  it('for a studio that does not exist, a stranger, a member of another studio, without an end, from a plain password', async () => {
    const { a, b } = office.cast
    expect(await create('00000000-0000-0000-0000-000000000000', null)).toBe('SI404')
    expect(await create(a.id, office.cast.outsider.id)).toBe('SI404')
    expect(await create(a.id, b.people.owner.id)).toBe('SI404')
    expect(await create(a.id, null, 'secret')).toBe('22023')
    expect(await create(a.id, null, verifier, 'yesterday')).toBe('22023')
    expect(await create(a.id, null, verifier, 'tomorrow', 0)).toBe('22023')
    expect(await made()).toEqual([])
  })

  it('with more connections than one studio may have sessions, or for a studio whose logins have as many as all may', async () => {
    const [server] = await told<{ most: number }>(office, `select current_setting('max_connections')::int / 2 as most`)
    const most = server?.most ?? 0
    const share = Math.floor(most / 4)
    expect(await create(office.cast.a.id, null, verifier, 'tomorrow', share + 1)).toBe('22023')
    expect(await made()).toEqual([])
    const logins = Array.from({ length: 4 }, () => create(office.cast.a.id, null, verifier, 'tomorrow', share))
    expect((await Promise.all(logins)).toSorted()).toEqual(['SI409', 'done', 'done', 'done'])
    expect(await create(office.cast.b.id, null, verifier, 'tomorrow', share)).toBe('done')
    for (const { rolname } of await made()) await dropLogin(office.database.adminUrl, String(rolname))
  })
})
