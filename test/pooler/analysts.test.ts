import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLogin, dropLogin, rotateLogin } from '../../src/analysts/logins.ts'
import { asAdministrator } from '../../src/database/session.ts'
import { failureOf } from '../analysts/support.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { type Pooler, startPgbouncer } from '../support/pgbouncer.ts'
import { withClient } from '../support/server.ts'

/** Fewer connections than logins. */
const connections = 5
const logins = 30

const page = (name: string) => readFile(join(import.meta.dirname, '../../docs/deployment', name), 'utf8')

let { database, cast } = {} as Awaited<ReturnType<typeof createCastDatabase>>
let pooler: Pooler
const made: { login: string; url: string; studio: string }[] = []

/** As docs/deployment has it, on this machine: without TLS, with the function in the same database
 * and not in `postgres`, which only a newer PgBouncer asks. */
beforeAll(async () => {
  ;({ database, cast } = await createCastDatabase())
  const server = new URL(database.adminUrl)
  await withClient(database.adminUrl, async (admin) => {
    await admin.query(
      (await page('pgbouncer.analysts.sql')).replace('on database postgres', `on database ${database.name}`),
    )
    await admin.query(`alter role studio_pooler password 'for tests'`)
  })
  const ini = await page('pgbouncer.analysts.ini')
  const configure = (folder: string, port: number) =>
    ini
      .replace('studio_inventory = host=db.internal port=5432', `* = host=${server.hostname} port=${server.port}`)
      .replace('listen_addr = *', 'listen_addr = 127.0.0.1\nunix_socket_dir =')
      .replace('listen_port = 5432', `listen_port = ${port}`)
      .replace('/etc/pgbouncer/userlist.txt', `${folder}/users.txt`)
      .replace('max_db_connections = 40', `max_db_connections = ${connections}`)
      .replace(/^(client_tls|auth_dbname).*$/gm, '')
  pooler = await startPgbouncer(configure, '"studio_pooler" "for tests"\n')
  for (let count = 0; count < logins; count += 1) {
    const { id } = count % 2 ? cast.a : cast.b
    const wanted = { studioId: id, userId: null, validDays: 1, connections: 2, timeout: 60 }
    const login = await asAdministrator(database.adminUrl, (transaction) =>
      createLogin(transaction, database.adminUrl, wanted),
    )
    made.push({ login: login.login, url: pooler.reach(login.url), studio: id })
  }
})
afterAll(async () => {
  await pooler?.stop()
  await database?.drop()
  await withClient(new URL('/postgres', database.adminUrl).href, async (admin) => {
    for (const { login } of made) await admin.query(`drop role if exists "${login}"`)
    await admin.query('drop role if exists studio_pooler')
  })
})

const seen =
  'select session_user::text as login, (select a.name from api_v1.account a) as studio, count(*)::int as items from api_v1.items'

it('more logins than connections are served at once, each as itself and its own studio', async () => {
  const numbers: number[] = []
  const counted = `select count(*)::int as open from pg_stat_activity where usename like 'analyst\\_%' and datname = current_database()`
  await withClient(database.adminUrl, async (admin) => {
    const ask = ({ url }: { url: string }) =>
      withClient(url, async (client: pg.Client) => {
        const answers = [await client.query(seen), await client.query(seen)]
        numbers.push((await admin.query(counted)).rows[0].open)
        return answers.map(({ rows }) => rows[0])
      })
    const answers = await Promise.all(made.map(ask))
    const names = await admin.query('select id, name from app.studios')
    const nameOf = Object.fromEntries(names.rows.map(({ id, name }) => [id, name]))
    const expected = made.map(({ login, studio }) => ({ login, studio: nameOf[studio], items: expect.any(Number) }))
    for (const turn of [0, 1]) expect(answers.map((rows) => rows[turn])).toEqual(expected)
    expect(new Set(answers.map(([first]) => first.studio)).size).toBe(2)
  })
  // A session that PgBouncer closes to make room ends a moment later.
  expect(Math.max(...numbers)).toBeLessThanOrEqual(2 * connections)
})

it('what one login sets and forges, the next one does not have', async () => {
  const [ours, theirs] = made
  if (!ours || !theirs) throw new Error('no logins')
  const studioOf = (url: string, ...before: string[]) =>
    withClient(url, async (client) => {
      for (const text of before) await client.query(text)
      return (await client.query(seen)).rows[0].studio
    })
  const own = await studioOf(ours.url)
  expect(await studioOf(ours.url, `set studio.id = '${theirs.studio}'`)).toBe(own)
  expect(await studioOf(theirs.url)).not.toBe(own)
  expect(
    await failureOf(withClient(ours.url, (client) => client.query(`set session authorization "${theirs.login}"`))),
  ).toBe('42501')
})

it('a login of the service, one with a wrong password, and one that was rotated or dropped are refused', async () => {
  const [ours, theirs] = made
  if (!ours || !theirs) throw new Error('no logins')
  const come = (url: string) => failureOf(withClient(url, (client) => client.query('select 1')))
  expect(await come(pooler.reach(database.urlFor('studio_api')))).not.toBe('done')
  expect(await come(pooler.reach(database.adminUrl))).not.toBe('done')
  expect(await come(Object.assign(new URL(ours.url), { password: 'x' }).href)).not.toBe('done')
  const rotated = await rotateLogin(database.adminUrl, ours.login, 1)
  expect(await come(ours.url)).not.toBe('done')
  expect(await come(pooler.reach(rotated.url))).toBe('done')
  await dropLogin(database.adminUrl, theirs.login)
  expect(await come(theirs.url)).not.toBe('done')
})
