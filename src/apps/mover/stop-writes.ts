import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../database/client.ts'
import { sqlState } from '../../database/errors.ts'
import { type Cell, inCell, MoveFailed, type OpenCell, rowsOf } from './cell.ts'
import { enableSubscription, progressOf } from './replication.ts'

/** How long transactions that write may keep the stop waiting, while no other begins to write, in milliseconds. */
const waitMs = 3_000
/** How long the studio is written again before the next attempt, in milliseconds. */
const pauseMs = 5_000
const attempts = 20

/**
 * Stops the writes of a studio in the source for as long as `work` takes. The stop is a lock of this session, which ends when the
 * session does, whatever happens to this process.
 *
 * @param work gets the session, and says with `since` when writes stopped (performance.now())
 * @throws MoveFailed when a transaction keeps writing
 */
export async function withWritesStopped<Result>(
  source: Cell,
  studioId: string,
  report: (line: string) => void,
  work: (session: OpenCell, since: number) => Promise<Result>,
): Promise<Result> {
  return inCell(source, async (session) => {
    for (let attempt = 1; attempt <= attempts; attempt++) {
      const since = performance.now()
      if (await lock(session.client, studioId)) {
        try {
          return await work(session, since)
        } finally {
          await session.client.query('select pg_advisory_unlock_all()').catch(() => undefined)
        }
      }
      report('a transaction keeps writing; waiting for it to end')
      await sleep(pauseMs)
    }
    throw new MoveFailed(
      'transactions kept writing to the studio, so that its writes could not be stopped',
      'Let imports end first: select pid, usename, xact_start from pg_stat_activity order by xact_start',
    )
  })
}

async function lock(client: Client, studioId: string): Promise<boolean> {
  await client.query(`set lock_timeout = ${waitMs}`)
  try {
    await client.query(`select pg_advisory_lock(hashtext('studio move'), uuid_hash($1::uuid) & 1023)`, [studioId])
    return true
  } catch (error) {
    if (sqlState(error) === '55P03') return false
    throw error
  } finally {
    await client.query('set lock_timeout = 0').catch(() => undefined)
  }
}

/**
 * Waits until the target has everything that the source had when this was called: a mark is written last, and changes arrive in
 * the order in which they were committed.
 *
 * @param session that which has stopped the writes
 * @param end until when (performance.now())
 * @throws MoveFailed when it takes too long, or the subscription has stopped at an error
 */
export async function catchUp(
  session: OpenCell,
  target: OpenCell,
  move: { id: string; studio_id: string },
  end: number,
): Promise<void> {
  const mark = randomUUID()
  await session.client.query(
    `insert into access.move_marks (studio_id, mark) values ($1, $2) on conflict (studio_id) do update set mark = $2`,
    [move.studio_id, mark],
  )
  for (;;) {
    const [arrived] = await rowsOf<{ mark: string }>(
      target.client,
      'select mark from access.move_marks where studio_id = $1',
      [move.studio_id],
    )
    if (arrived?.mark === mark) return
    const progress = await progressOf(target, move.id)
    if (progress === undefined) throw stoppedAtError(target)
    if (!progress.enabled) await enableSubscription(target, move.id)
    if (performance.now() > end) {
      throw new MoveFailed(
        'the target did not catch up in time; writes go on in the source',
        'Run it again when the studio is written less, or give it longer with --stop-at-most.',
      )
    }
    await sleep(10)
  }
}

/** The subscription is disabled: it met an error. */
export const stoppedAtError = (target: OpenCell): MoveFailed =>
  new MoveFailed(
    `${target.name}: the replication has stopped at an error`,
    'The log of its server says which. Abort the move, then start it again: studio move … --abort',
  )
