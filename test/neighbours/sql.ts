import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createLogin } from '../../src/analysts/logins.ts'
import { sqlState } from '../../src/database/errors.ts'
import { asAdministrator } from '../../src/database/session.ts'
import { withClient } from '../support/server.ts'
import type { Attack, Target } from './attacks.ts'
import type { Outcome } from './neighbour.ts'

/** What a session does again and again. */
type Step = (client: pg.Client) => Promise<unknown>

const views = ['items', 'policies', 'assignments', 'locations', 'maintenance', 'removals', 'workings']
const joined = (count: number) =>
  Array.from({ length: count }, (_, n) => `${views[n % views.length]} v${n}`).join(' cross join ')

/** By an analyst with a login. Each has a bound of its own. */
export const sqlAttacks: Record<string, Attack> = {
  'executions of a statement of 16 MB': bySessions(
    2,
    async () => {
      const statement = { name: 'again', text: `select 1 -- ${'x'.repeat(16_000_000)}` }
      return (client) => client.query(statement)
    },
    { most: 1e6, of: `coalesce((pg_stat_file('postgres.log', true)).size, 0)` },
  ),
  // Before PostgreSQL 17 the watchdog ends the listener, and the sender with it.
  'notifications that nobody reads': bySessions(
    2,
    async (at) => {
      if (at === 0) return listenDeaf
      const text = Array.from({ length: 100 }, (_, n) => `notify x, '${n}${'.'.repeat(7_900)}'`).join(';')
      return (client) => client.query(text)
    },
    { most: 80e6, of: `(select sum((pg_stat_file('pg_notify/' || name)).size) from pg_ls_dir('pg_notify') as name)` },
  ),
  'settings of the own role': bySessions(
    1,
    async () => {
      const text = `alter role current_user set application_name = '${'x'.repeat(4_000_000)}'`
      return (client) => client.query(text)
    },
    { most: 64e6, of: `pg_total_relation_size('pg_db_role_setting')` },
  ),
  'plans of a join of eleven views': bySessions(2, async () => async (client) => {
    await client.query('set join_collapse_limit = 100')
    await client.query('set from_collapse_limit = 100')
    await client.query(`explain select from ${joined(11)}`)
  }),
  logins: bySessions(40, async () => async (client) => {
    await client.query('select count(*) from items')
    await client.end()
  }),
}

/** Hears of notifications and does not read them. */
async function listenDeaf(client: pg.Client): Promise<void> {
  await client.query('listen x')
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  stream.pause()
  await new Promise((resolve) => stream.once('close', resolve))
}

/** Opens sessions of new logins, four of each, and again when one ends.
 * @param bound what they must not exceed */
function bySessions(parallel: number, prepare: (at: number) => Promise<Step>, bound?: Attack['bound']): Attack {
  return {
    parallel,
    ...(bound && { bound }),
    async run(stage, until) {
      const urls = await Promise.all(Array.from({ length: Math.ceil(parallel / 4) }, () => hire(stage)))
      const outcomes: Outcome[] = []
      const one = async (at: number) => {
        const step = await prepare(at)
        while (!until.aborted) outcomes.push(...(await session(urls[Math.floor(at / 4)] ?? '', step, until)))
      }
      await Promise.all(Array.from({ length: parallel }, (_, at) => one(at)))
      return outcomes
    },
  }
}

/** Repeats a step in one session until the signal, or until the session ends. */
async function session(url: string, step: Step, until: AbortSignal): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let began = performance.now()
  await withClient(url, async (client) => {
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    const leave = () => void stream.destroy()
    await client.query('set default_transaction_read_only = off')
    until.addEventListener('abort', leave)
    try {
      while (!until.aborted && stream.writable) {
        began = performance.now()
        await step(client)
        outcomes.push({ ms: performance.now() - began, status: 200 })
      }
    } finally {
      until.removeEventListener('abort', leave)
    }
  }).catch(async (error: Error) => {
    if (!until.aborted) outcomes.push({ ms: performance.now() - began, status: sqlState(error) ?? error.message })
    await sleep(20)
  })
  return outcomes
}

/** A login of the hostile studio. It is gone after the file. */
async function hire({ database, hostile, logins }: Target): Promise<string> {
  const wanted = { studioId: hostile.id, userId: null, validDays: 1, connections: 4, timeout: 5 }
  const { login, url } = await asAdministrator(database.adminUrl, (transaction) =>
    createLogin(transaction, database.adminUrl, wanted),
  )
  logins.push(login)
  return url
}
