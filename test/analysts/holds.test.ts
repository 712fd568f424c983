import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { dropLogin, lockLogins, rotateLogin } from '../../src/analysts/logins.ts'
import { openProxy } from '../support/proxy.ts'
import { withClient } from '../support/server.ts'
import { failureOf, told, useOffice } from './support.ts'

const office = useOffice()

/** How often the test tries each way of taking access away, for each kind of hold. */
const count = Number(process.env.TEST_HOLDS ?? 2)

/** Statements by which a login can hinder its own removal, when it leaves their transaction open. */
const statements = [
  `alter role current_user password 'own'`,
  `alter role current_user set work_mem = '1GB'`,
  'alter role current_user reset all',
  'alter default privileges grant select on tables to public',
  'alter default privileges revoke select on tables from public',
  'grant select on api_v1.items, pg_catalog.pg_class to public',
  'lock table api_v1.items, api_v1.account in access share mode',
  'declare held cursor with hold for select * from api_v1.items',
  'listen it',
  'set transaction isolation level serializable',
  'set role studio_analyst',
  'set session characteristics as transaction isolation level repeatable read',
  'savepoint here',
  `prepare transaction 'held'`,
  'select count(*) from generate_series(1, 100000)',
]

/** A transaction that its login repeats: statements, each with a pause after it in milliseconds. */
type Hold = { text: string; pauseMs: number }[]

const among = <Value>(values: readonly Value[]) => values[Math.floor(Math.random() * values.length)] as Value

function randomHold(): Hold {
  const first = among(statements.slice(0, 6))
  const others = Array.from({ length: Math.floor(Math.random() * 4) }, () => among(statements))
  return [first, ...others].map((text) => ({ text, pauseMs: among([0, 0, 2, 10, 50]) }))
}

/** Leaves no moment in which nothing holds the role. */
const tightHold: Hold = [`alter role current_user password 'own'`, `prepare transaction 'held'`].map((text) => ({
  text,
  pauseMs: 0,
}))

const seen = 'select (select count(*)::int from api_v1.items) + (select count(*)::int from api_v1.account) as rows'

const read = (client: pg.Client) =>
  client.query(seen).then(
    ({ rows }) => rows[0].rows as number,
    () => 0,
  )

/** Repeats the transaction until somebody stops it. When its session ends, it opens another one for
 * as long as the server lets the login in. */
function obstruct(url: string, hold: Hold) {
  const stopping = new AbortController()
  const { signal } = stopping
  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)
  const once = async (client: pg.Client) => {
    await client.query('begin')
    for (const { text, pauseMs } of hold) {
      if (signal.aborted) break
      await client.query(text).catch(() => client.query('rollback'))
      await pause(pauseMs)
    }
    await client.query('commit')
  }
  const running = (async () => {
    while (!signal.aborted) {
      const session = withClient(url, async (client) => {
        await client.query('set default_transaction_read_only = off')
        while (!signal.aborted) await once(client)
      })
      await session.catch(() => pause(10))
    }
  })()
  return () => {
    stopping.abort()
    return running
  }
}

/** Hires an analyst. While `work` runs, two more sessions of the analyst hold locks. */
async function holding(
  hold: Hold,
  userId: string | null,
  work: (analyst: { login: string; url: string; client: pg.Client; stop(): Promise<unknown> }) => Promise<void>,
) {
  const { login, url } = await office.hire(office.cast.a.id, { connections: 3, userId })
  const said = `under ${hold.map(({ text, pauseMs }) => `${text}; (${pauseMs} ms)`).join(' ')}`
  await withClient(url, async (client) => {
    expect(await read(client), said).toBeGreaterThan(0)
    const stops = [obstruct(url, hold), obstruct(url, hold)]
    const stop = () => Promise.all(stops.map((one) => one()))
    onTestFinished(async () => void (await stop()))
    await sleep(Math.random() * 30)
    await work({ login, url, client, stop }).catch((error) => {
      throw new Error(said, { cause: error })
    })
    await stop()
  })
}

/** Repeats the attempt as often as `count` says, each time under the next hold. */
const claim = (name: string, once: () => Promise<void>) =>
  it(
    name,
    async () => {
      for (let round = 0; round < count; round++) await once()
    },
    count * 20_000,
  )

describe.each([
  ['random transactions', randomHold],
  ['one transaction without pauses', () => tightHold],
])('while sessions of its own repeat %s, a login', (_, hold) => {
  claim('is dropped, and the next statement of its open session reads nothing', () =>
    holding(hold(), null, async ({ login, client, stop }) => {
      expect(await dropLogin(office.database.adminUrl, login)).toMatchObject({ keptBecause: null, openBecause: null })
      expect(await read(client)).toBe(0)
      await stop()
      expect(await told(office, 'select from pg_roles where rolname = $1', [login])).toEqual([])
    }),
  )

  claim('is given another password, which alone works from then on', () =>
    holding(hold(), null, async ({ login, url, stop }) => {
      const rotated = await rotateLogin(office.database.adminUrl, login, 7)
      expect(rotated.openBecause).toBe(null)
      await stop()
      expect(await withClient(rotated.url, read)).toBeGreaterThan(0)
      for (const password of [new URL(url).password, 'own'])
        expect(await failureOf(withClient(Object.assign(new URL(url), { password }).href, read))).toBe('28P01')
      await dropLogin(office.database.adminUrl, login)
    }),
  )

  claim('reads nothing of a studio that is archived, and everything when it is brought back', async () => {
    const { a } = office.cast
    const { adminUrl } = office.database
    const archive = (archived: boolean) =>
      told(office, 'select access.archive_studio($1, $2, $3)', [a.id, archived, a.people.owner.id])
    await holding(hold(), null, async ({ login, url, client, stop }) => {
      await archive(true)
      expect(await read(client)).toBe(0)
      await lockLogins(adminUrl, a.id, true)
      expect(await failureOf(withClient(url, read))).toMatch(/^28/)
      await stop()
      await archive(false)
      await lockLogins(adminUrl, a.id, false)
      await told(office, `alter role ${login} password '${new URL(url).password}'`)
      expect(await withClient(url, read)).toBeGreaterThan(0)
      await dropLogin(adminUrl, login)
    })
  })

  claim('reads nothing once the member whom it is for has left', async () => {
    const { a } = office.cast
    const added = 'select access.add_member($1, $2, $3, $4) as id'
    const person = [a.id, 'leaver@studio.example', 'Leaver', 'member']
    const [member] = await told<{ id: string }>(office, added, person)
    const id = member?.id ?? null
    await holding(hold(), id, async ({ login, client }) => {
      await told(office, 'select access.dismiss_member($1, $2, $3)', [a.id, id, a.people.owner.id])
      expect(await read(client)).toBe(0)
      await dropLogin(office.database.adminUrl, login)
    })
  })
})

it('that began to log in before its password was changed is not let in', async () => {
  const { adminUrl } = office.database
  const { login, url } = await office.hire(office.cast.a.id)
  const proxy = await openProxy(adminUrl)
  onTestFinished(proxy.close)
  proxy.delay(1_000)
  const early = failureOf(withClient(proxy.reach(url), read))
  await sleep(200)
  const rotated = await rotateLogin(adminUrl, login, 7)
  expect(await early).toMatch(/^28|^Connection terminated/)
  expect(await withClient(rotated.url, read)).toBeGreaterThan(0)
})
