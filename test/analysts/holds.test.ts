import type pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dropLogin, lockLogins, rotateLogin } from '../../src/analysts/logins.ts'
import { withClient } from '../support/server.ts'
import { failureOf, told, useOffice } from './support.ts'

const office = useOffice()

/** What a login may run in a transaction that it leaves open, to be in the way of its removal. */
const holds: string[][] = [
  [`alter role current_user password 'own'`],
  [`alter role current_user set work_mem = '1GB'`, 'alter role current_user reset all'],
  ['alter default privileges grant select on tables to public', `alter role current_user password 'own'`],
  ['grant select on api_v1.items to public', `comment on role current_user is 'x'`],
  [
    'lock table api_v1.items in access share mode',
    'declare held cursor with hold for select * from api_v1.items',
    'listen it',
  ],
]

const seen = 'select (select count(*)::int from api_v1.items) + (select count(*)::int from api_v1.account) as rows'

const read = (client: pg.Client) =>
  client.query(seen).then(
    ({ rows }) => rows[0].rows as number,
    () => 0,
  )

function obstruct(url: string, statements: string[]) {
  let going = true
  const running = (async () => {
    while (going) {
      await withClient(url, async (client) => {
        await client.query('set default_transaction_read_only = off')
        for (let turn = 0; going && turn < 50; turn++) {
          await client.query('begin')
          for (const text of statements) await client.query(text).catch(() => client.query('rollback'))
          await new Promise((resolve) => setTimeout(resolve, 5 * (turn % 7)))
          await client.query('commit')
        }
      }).catch(() => new Promise((resolve) => setTimeout(resolve, 10)))
    }
  })()
  const stop = () => {
    going = false
    return running
  }
  onTestFinished(stop)
  return stop
}

async function holding(statements: string[], userId: string | null = null) {
  const { login, url } = await office.hire(office.cast.a.id, { connections: 3, userId })
  const stops = [obstruct(url, statements), obstruct(url, statements)]
  return { login, url, stop: () => Promise.all(stops.map((stop) => stop())) }
}

describe.each(holds.map((statements) => ({ what: statements.join('; '), statements })))(
  'a login that goes on with: $what',
  ({ statements }) => {
    it('is dropped, and the next statement of an open session reads nothing', async () => {
      const { login, url, stop } = await holding(statements)
      await withClient(url, async (client) => {
        expect(await read(client)).toBeGreaterThan(0)
        const dropped = await dropLogin(office.database.adminUrl, login)
        expect(dropped).toMatchObject({ keptBecause: null, openBecause: null })
        expect(await read(client)).toBe(0)
      })
      await stop()
      expect(await told(office, 'select from pg_roles where rolname = $1', [login])).toEqual([])
    }, 60_000)

    it('is given another password, which is the one that works afterwards', async () => {
      const { login, url, stop } = await holding(statements)
      const rotated = await rotateLogin(office.database.adminUrl, login, 7)
      expect(rotated.openBecause).toBe(null)
      await stop()
      expect(await withClient(rotated.url, read)).toBeGreaterThan(0)
      for (const password of [new URL(url).password, 'own']) {
        const old = Object.assign(new URL(url), { password }).href
        expect(await failureOf(withClient(old, read))).toBe('28P01')
      }
      await dropLogin(office.database.adminUrl, login)
    }, 60_000)
  },
)

describe('logins that go on with all of that', () => {
  it('read nothing of a studio that is archived, and everything when it is brought back', async () => {
    const { a } = office.cast
    const { adminUrl } = office.database
    const archive = (archived: boolean) =>
      told(office, 'select access.archive_studio($1, $2, $3)', [a.id, archived, a.people.owner.id])
    const analysts = await Promise.all(holds.map((statements) => holding(statements)))
    const { url } = analysts[4] as (typeof analysts)[number]
    await withClient(url, async (client) => {
      expect(await read(client)).toBeGreaterThan(0)
      await archive(true)
      expect(await read(client)).toBe(0)
    })
    await lockLogins(adminUrl, a.id, true)
    for (const analyst of analysts) expect(await failureOf(withClient(analyst.url, read))).toMatch(/^28/)
    await Promise.all(analysts.map(({ stop }) => stop()))
    await archive(false)
    await lockLogins(adminUrl, a.id, false)
    expect(await withClient(url, read)).toBeGreaterThan(0)
    for (const { login } of analysts) await dropLogin(adminUrl, login)
  }, 120_000)

  it('read nothing once the member whom they are for has left', async () => {
    const { a } = office.cast
    const [member] = await told<{ id: string }>(office, 'select access.add_member($1, $2, $3, $4) as id', [
      a.id,
      'leaver@studio.example',
      'Leaver',
      'member',
    ])
    const id = member?.id ?? null
    const analysts = await Promise.all(holds.map((statements) => holding(statements, id)))
    const { url } = analysts[4] as (typeof analysts)[number]
    await withClient(url, async (client) => {
      expect(await read(client)).toBeGreaterThan(0)
      await told(office, 'select access.dismiss_member($1, $2, $3)', [a.id, id, a.people.owner.id])
      expect(await read(client)).toBe(0)
    })
    await Promise.all(analysts.map(({ stop }) => stop()))
    expect(await withClient(url, read)).toBe(0)
  }, 120_000)
})
