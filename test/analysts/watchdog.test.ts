import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { lockWriters, rotateLogin } from '../../src/analysts/logins.ts'
import type { Analyst } from '../support/cast.ts'
import { asRole, databaseUrl, withClient } from '../support/server.ts'
import { type Ended, endless, failureOf, failureOfLogin, limit, lookOf, told, useOffice } from './support.ts'

const office = useOffice()

const look = () => lookOf(office)

/** Lets the watchdog check until it has done something to this session. Calls `meanwhile` before each
 * check. */
function lookFor(
  pid: number,
  signal: AbortSignal,
  action?: string,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<Ended> {
  const found = async () => {
    signal.throwIfAborted()
    await meanwhile()
    return (await look()).find((ended) => ended.pid === pid && ended.action === (action ?? ended.action))
  }
  return vi.waitUntil(found, { timeout: 15_000, interval: 20 }) as Promise<Ended>
}

async function pidOf(client: pg.Client): Promise<number> {
  return (await client.query('select pg_backend_pid() as pid')).rows[0].pid
}

/** Runs `work` as an analyst of A with a short limit, who has turned every timeout off. */
async function withDefiantAnalyst(
  work: (client: pg.Client, analyst: Analyst, pid: number) => Promise<void>,
): Promise<void> {
  const analyst = await office.hire(office.cast.a.id)
  await withClient(analyst.url, async (client) => {
    for (const name of ['statement_timeout', 'idle_in_transaction_session_timeout', 'lock_timeout']) {
      await client.query(`set ${name} = 0`)
    }
    await work(client, analyst, await pidOf(client))
  })
}

describe('an analyst who turned the timeouts off', () => {
  it('loses a session whose transaction holds a transaction id, which a change of the own role takes', async ({
    signal,
  }) => {
    await withDefiantAnalyst(async (client, analyst, pid) => {
      await limit(office, analyst, '1 s')
      await client.query('begin read write')
      await client.query(`alter role current_user set work_mem = '4MB'`)
      // The session is not idle, so the transaction id is the only reason to end it.
      const ended = await lookFor(pid, signal, 'ended', () => client.query('select 1').catch(() => undefined))
      expect(ended.reason).toBe('its transaction holds a transaction id')
    })
  })

  it('who writes three times, each within a day of the last, is locked out, until the password changes', async ({
    signal,
  }) => {
    const { login, url } = await office.hire(office.cast.a.id)
    const write = async () => {
      await withClient(url, async (client) => {
        const pid = await pidOf(client)
        await client.query('begin read write')
        await client.query(`alter role current_user set work_mem = '4MB'`)
        expect((await lookFor(pid, signal, 'ended')).reason).toBe('its transaction holds a transaction id')
        await expect
          .poll(() => told(office, 'select from pg_stat_activity where pid = $1', [pid]), { timeout: 10_000 })
          .toEqual([])
      })
      await told(office, `update access.analyst_logins set wrote_at = wrote_at - interval '2 s' where login = $1`, [
        login,
      ])
    }
    const writes = async () =>
      (await told(office, 'select writes from access.analyst_logins where login = $1', [login]))[0]
    await write()
    await told(office, `update access.analyst_logins set wrote_at = wrote_at - interval '1 day' where login = $1`, [
      login,
    ])
    for (let count = 0; count < 2; count += 1) await write()
    expect(await writes()).toEqual({ writes: 2 })
    expect(await lockWriters(office.database.adminUrl)).toEqual([])
    await write()
    expect(await lockWriters(office.database.adminUrl)).toEqual([login])
    expect(await failureOfLogin(url)).toBe('28000')
    const rotated = await rotateLogin(office.database.adminUrl, login, 1)
    expect(await failureOfLogin(rotated.url)).toBe('done')
    expect(await writes()).toEqual({ writes: 0 })
  })

  it('loses a session that no cancel ends, because its client does not read what it asked for', async ({ signal }) => {
    const { url, login } = await office.hire(office.cast.a.id)
    const stream = new Socket()
    const client = new pg.Client({ connectionString: url, stream: () => stream }).on('error', () => undefined)
    onTestFinished(() => client.end().catch(() => undefined))
    await client.connect()
    const pid = await pidOf(client)
    // The answer is one value, larger than the buffers of both ends. PostgreSQL looks at a cancel
    // between two rows, and not while it sends a value to a client that reads nothing.
    const reading = failureOf(client.query(`select repeat('x', 100000000)`))
    stream.pause()
    const activity = 'select state, wait_event as event from pg_stat_activity where pid = $1'
    await expect
      .poll(() => told(office, activity, [pid]), { timeout: 10_000 })
      .toEqual([{ state: 'active', event: 'ClientWrite' }])
    // The watchdog ends a statement after twice its limit, and a transaction after ten times.
    const age = 'select clock_timestamp() - query_start from pg_stat_activity where pid = $1'
    const text = `update access.analyst_logins set statement_limit = greatest(interval '1 s', (${age})) where login = $2`
    await told(office, text, [pid, login])
    expect((await lookFor(pid, signal, 'ended')).reason).toBe('its statement went on after it was cancelled')
    await expect.poll(() => told(office, activity, [pid]), { timeout: 10_000 }).toEqual([])
    stream.resume()
    expect(await reading).toMatch(/Connection terminated/)
  })

  it('loses a session that stays idle in a transaction, and with it its locks', async ({ signal }) => {
    await withDefiantAnalyst(async (client, analyst, pid) => {
      await client.query('begin')
      await client.query('select count(*) from items')
      await limit(office, analyst, '500 ms')
      expect(await lookFor(pid, signal)).toMatchObject({
        action: 'ended',
        reason: 'its transaction is idle for too long',
      })
      await expect
        .poll(() => told(office, 'select from pg_locks where pid = $1', [pid]), { timeout: 10_000 })
        .toEqual([])
    })
  })

  it('loses a session whose transaction is kept open by asking something now and then', async ({ signal }) => {
    await withDefiantAnalyst(async (client, analyst, pid) => {
      await client.query('begin isolation level repeatable read')
      await client.query('select count(*) from items')
      await limit(office, analyst, '30 ms')
      const ended = await lookFor(pid, signal, 'ended', () => failureOf(client.query('select 1')))
      expect(['its transaction is too old', 'its transaction is idle for too long']).toContain(ended.reason)
    })
  })
})

describe('the watchdog', () => {
  it.each([
    [
      'is mapped to no studio any more',
      `delete from access.analyst_logins where login = ':login'`,
      'its login is mapped to no studio',
    ],
    ['ended while it was connected', `alter role :login valid until '2020-01-01'`, 'its login has expired'],
  ])('ends the session of a login that %s', async (_what, text, reason) => {
    await withDefiantAnalyst(async (client, { login }, pid) => {
      await told(office, text.replace(':login', login))
      expect(await look()).toContainEqual({ login, pid, action: 'ended', reason })
      expect(await failureOf(client.query('select 1'))).not.toBe('done')
    })
  })

  it('ends a session in another database of the server, where other rules hold', async () => {
    const { login, url } = await office.hire(office.cast.a.id)
    await withClient(databaseUrl(url, 'postgres'), async (client) => {
      const pid = await pidOf(client)
      const reason = 'it is connected to another database'
      expect(await look()).toContainEqual({ login, pid, action: 'ended', reason })
      expect(await failureOf(client.query('select 1'))).not.toBe('done')
    })
  })

  it('spares sessions within the limit, idle ones, and people who are not analysts', async () => {
    await withDefiantAnalyst(async (patient, _analyst, pid) => {
      const running = failureOf(patient.query(endless))
      await withDefiantAnalyst(async (idle, analyst, idlePid) => {
        await limit(office, analyst, '1 ms')
        await withClient(office.database.adminUrl, async (admin) => {
          await asRole(office.database, 'studio_api', async (api) => {
            await admin.query('begin')
            await api.query('begin')
            await sleep(50)
            const pids = [pid, idlePid, await pidOf(admin), await pidOf(api)]
            expect((await look()).filter((ended) => pids.includes(ended.pid))).toEqual([])
            expect(await failureOf(idle.query('select 1'))).toBe('done')
          })
        })
      })
      await told(office, 'select pg_cancel_backend($1)', [pid])
      expect(await running).toBe('57014')
    })
  })

  it('says that it may not watch when it lacks the rights, instead of seeing nothing', async () => {
    await withClient(office.database.adminUrl, async (admin) => {
      // Roles belong to the whole server: other tests must not see this.
      await admin.query('begin')
      await admin.query('revoke pg_read_all_stats from studio_owner')
      await admin.query('set local role studio_owner')
      const refused = admin.query('select * from access.watch_analysts()')
      await expect(refused).rejects.toMatchObject({
        code: '42501',
        message: expect.stringMatching(/run studio-inventory migrate, or grant pg_signal_backend, pg_read_all_stats/),
      })
      await admin.query('rollback')
    })
  })
})
