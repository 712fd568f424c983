import { randomBytes } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { withTemporaryLogin } from '../../src/audit/temporary-login.ts'
import { envFor, startCli } from '../cli/run.ts'
import { useCast } from '../support/cast-database.ts'
import { asAdmin, asOwner, useDatabase, withClient } from '../support/server.ts'
import { proofConnections, prove } from './support.ts'

const stage = useCast()

describe('the analyst that a proof makes', () => {
  it('sees the studio it is made for, has limits, and is gone afterwards; the log of mappings keeps that it was', async () => {
    const { database, cast } = stage
    const lent = await withTemporaryLogin(
      database.adminUrl,
      'studio_analyst',
      async (url, login) => {
        const items = await withClient(url, async (client) => (await client.query('select id from api_v1.items')).rows)
        expect(items.map(({ id }) => id)).toContain(cast.a.items.bare)
        const limits = `select array[rolconnlimit::text, rolsuper::text, rolbypassrls::text,
          ceil(extract(epoch from rolvaliduntil - now()) / 60)::text] || rolconfig as v from pg_roles where rolname = $1`
        const settings = ['statement_timeout=5min', 'temp_file_limit=1GB']
        expect(await column(limits, login)).toEqual([['2', 'false', 'false', '10', ...settings]])
        return login
      },
      cast.a.id,
    )
    expect(await left(lent)).toEqual({ roles: [], mapped: [], events: ['mapped', 'unmapped'] })
  })

  it('is gone after a failure, and so are its sessions', async () => {
    let [lent, pid] = ['', 0]
    const work = withTemporaryLogin(
      stage.database.adminUrl,
      'studio_analyst',
      (url, login) =>
        withClient(url, async (client) => {
          lent = login
          pid = (await client.query('select pg_backend_pid() as pid')).rows[0].pid
          throw new Error('in the middle')
        }),
      stage.cast.a.id,
    )
    await expect(work).rejects.toThrow('in the middle')
    expect(await left(lent)).toMatchObject({ roles: [], mapped: [] })
    await expect.poll(() => column('select pid as v from pg_stat_activity where pid = $1', pid)).toEqual([])
  })

  it('is gone when the server ends the session in the middle of a proof', async () => {
    const before = await loginsEverLent()
    const proof = prove(proofConnections(stage.database), ['analyst']).catch((error: Error) => error.message)
    const lent = await loginLentSince(before)
    // The login exists a moment before its session.
    const end = () => column('select pg_terminate_backend(pid) as v from pg_stat_activity where usename = $1', lent)
    await expect.poll(end, { timeout: 15_000, interval: 10 }).not.toEqual([])
    expect(await proof).toEqual(expect.any(String))
    expect(await left(lent)).toMatchObject({ roles: [], mapped: [] })
  })

  it('of a process that was killed is dropped by the next proof, once its time is over', async () => {
    const lent = `studio_passing_${randomBytes(6).toString('hex')}`
    await asAdmin(stage.database, async (admin) => {
      await admin.query(`create role ${lent} login valid until '2026-01-01' in role studio_analyst`)
      await admin.query('insert into access.analyst_logins (login, studio_id) values ($1, $2)', [lent, stage.cast.a.id])
    })
    await withTemporaryLogin(stage.database.adminUrl, 'studio_auditor', async () => undefined)
    expect(await left(lent)).toMatchObject({ roles: [], mapped: [] })
  })

  it('is dropped on Ctrl-C: the command says so, and exit status 1', async () => {
    const before = await loginsEverLent()
    const command = startCli(['audit', '--prove', '--as', 'analyst'], envFor(stage.database))
    const lent = await loginLentSince(before)
    command.child.kill('SIGINT')
    const { status, stderr } = await command.ended
    const said = 'studio-inventory: ended by SIGINT; the login that was made for it is dropped\n'
    expect({ status, stderr }).toEqual({ status: 1, stderr: said })
    expect(await left(lent)).toMatchObject({ roles: [], mapped: [] })
  })
})

describe('a database with one studio', () => {
  const database = useDatabase()
  beforeAll(async () => {
    await asOwner(database, async (owner) => {
      const { rows } = await owner.query(`select access.create_studio('Alone', 'me@example.com', 'Me', 'studio') as id`)
      await owner.query(`select set_config('studio.id', $1, false)`, [rows[0].id])
      await owner.query(`insert into app.items (studio_id, name) values ($1, 'Microphone')`, [rows[0].id])
    })
  })

  it('proves nothing about others, and every login of studios says so', async () => {
    const trials = await prove(proofConnections(database), ['api', 'analyst', 'auditor'])
    for (const trial of trials) {
      expect(trial.reason).toBe('did not look for foreign rows: fewer than two studios have items')
      expect(trial.tried.length).toBeGreaterThan(100)
    }
  })
})

/** The names that temporary logins of this database ever had. */
const loginsEverLent = () =>
  column<string>(`select distinct login::text as v from access.analyst_log where login ~ '^studio_passing_'`)

/** Reads the column v. */
async function column<Value>(text: string, ...values: unknown[]): Promise<Value[]> {
  return (await asAdmin(stage.database, (admin) => admin.query(text, values))).rows.map(({ v }) => v)
}

/** Waits until the proof has made a login with a studio and uses it. */
async function loginLentSince(before: readonly string[]): Promise<string> {
  const made = async () => (await loginsEverLent()).find((login) => !before.includes(login))
  await expect.poll(made, { timeout: 20_000, interval: 20 }).toBeDefined()
  const lent = (await made()) ?? ''
  const there = () => column('select pid as v from pg_stat_activity where usename = $1', lent)
  await expect.poll(there, { timeout: 10_000, interval: 10 }).not.toEqual([])
  return lent
}

/** What a temporary login has left behind. */
async function left(login: string) {
  return {
    roles: await column('select rolname as v from pg_roles where rolname = $1', login),
    mapped: await column('select login as v from access.analyst_logins where login = $1', login),
    events: await column('select event as v from access.analyst_log where login = $1 order by id', login),
  }
}
