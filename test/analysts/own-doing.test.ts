import { describe, expect, it } from 'vitest'
import { dropLogin } from '../../src/analysts/logins.ts'
import { keepUp } from '../../src/analysts/upkeep.ts'
import { withClient } from '../support/server.ts'
import { failureOf, lookOf, told, useOffice } from './support.ts'

const office = useOffice()

const ownSettings = `select setting from pg_db_role_setting s join pg_roles r on r.oid = s.setrole cross join lateral unnest(s.setconfig) as setting
  where r.rolname = $1 order by 1`
const ownDefaults =
  'select d.defaclacl::text as acl from pg_default_acl d join pg_roles r on r.oid = d.defaclrole where r.rolname = $1'

/** Runs statements as an analyst, who first turns off what keeps the well-meaning from writing. */
const as = (url: string, ...texts: string[]) =>
  withClient(url, async (client) => {
    await client.query('set default_transaction_read_only = off')
    for (const text of texts) await client.query(text)
  })

describe('what an analyst does to its own login', () => {
  it.each([
    [`alter role current_user set work_mem = '1GB'`],
    ['alter role current_user reset all'],
    [`alter role current_user set statement_timeout = 0`, `alter role current_user set application_name = 'x'`],
    ['alter default privileges grant select on tables to public'],
    [
      'alter default privileges revoke execute on functions from public',
      'alter default privileges grant all on types to studio_api',
    ],
  ])('is taken back: %s', async (...texts) => {
    const { login, url } = await office.hire(office.cast.a.id)
    const before = await told(office, ownSettings, [login])
    expect(before).toHaveLength(9)
    await as(url, ...texts)
    const { reset } = await keepUp(office.database.adminUrl)
    expect(reset.filter((done) => done.startsWith(login)).length).toBeGreaterThan(0)
    expect(await told(office, ownSettings, [login])).toEqual(before)
    expect(await told(office, ownDefaults, [login])).toEqual([])
    const again = await keepUp(office.database.adminUrl)
    expect(again.reset.filter((done) => done.startsWith(login))).toEqual([])
  })

  it('reaches its group on no server that can prevent it, and is taken back on others', async () => {
    const { url } = await office.hire(office.cast.a.id)
    const attempt = failureOf(
      as(url, 'set role studio_analyst', 'alter default privileges grant select on sequences to public'),
    )
    const [row] = await told(office, `select current_setting('server_version_num')::int < 160000 as old`)
    expect(await attempt).toBe(row?.old ? 'done' : '42501')
    await keepUp(office.database.adminUrl)
    expect(await told(office, ownDefaults, ['studio_analyst'])).toEqual([])
  })
})

describe('a transaction that an analyst prepares', () => {
  const prepare = (url: string, name: string) =>
    as(url, 'begin', `alter role current_user password 'own'`, `prepare transaction '${name.replaceAll("'", "''")}'`)
  const prepared = (name: string) => told(office, 'select from pg_prepared_xacts where gid = $1', [name])
  const looks = () => lookOf(office)

  it('is reported by the watchdog, and rolled back by who may', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await prepare(url, `hold ' ${login}`)
    const reason = `its prepared transaction 'hold '' ${login}' holds back what others may take for final`
    expect(await looks()).toContainEqual({ login, pid: null, action: 'reported', reason })
    expect((await keepUp(office.database.adminUrl)).rolledBack).toContain(`${login}: hold ' ${login}`)
    expect(await prepared(`hold ' ${login}`)).toEqual([])
    expect((await looks()).filter((seen) => seen.login === login)).toEqual([])
  })

  it('is rolled back where it holds the login that is dropped', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await prepare(url, login)
    expect(await dropLogin(office.database.adminUrl, login)).toMatchObject({ keptBecause: null, openBecause: null })
    expect(await prepared(login)).toEqual([])
    expect(await told(office, 'select from pg_roles where rolname = $1', [login])).toEqual([])
  })
})
