import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { sqlState } from './errors.ts'

/** How long PostgreSQL may take to say whether a session works, and the pause, in milliseconds. */
const [answerMs, pauseMs] = [1_000, 500]

/** Keeps the place of a connection that the pool gave up while its session still works: a long
 * comparison ends neither at the statement timeout nor when its client leaves. */
export function countOrphans(driver: pg.Pool): void {
  driver.on('release', async (error: unknown, client) => {
    // An error of the server is its last word to a statement.
    if (!error || sqlState(error) !== undefined) return
    driver.options.max -= 1
    while (await works(driver.options, Reflect.get(client, 'processID')))
      await sleep(pauseMs, undefined, { ref: false })
    driver.options.max += 1
    // Those who wait get the place: the pool looks at them when a connection comes back.
    if (driver.waitingCount > 0)
      await driver.connect().then(
        (next) => next.release(),
        () => undefined,
      )
  })
}

/** Whether a session of this login runs a statement. False also if PostgreSQL does not say so. */
async function works({ connectionString }: pg.PoolOptions, pid: unknown): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: answerMs, query_timeout: answerMs })
  client.on('error', () => undefined)
  try {
    await client.connect()
    const text = `select from pg_catalog.pg_stat_activity where pid = $1 and usename = session_user and state = 'active'`
    return (await client.query(text, [pid])).rowCount === 1
  } catch {
    return false
  } finally {
    void client.end().catch(() => undefined)
  }
}
