import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { clearMove } from './abort.ts'
import { type Both, known, withBoth } from './both.ts'
import { type Cell, MoveFailed } from './cell.ts'
import { compareCopies } from './compare.ts'
import { nextStep, type Refusal } from './decide.ts'
import { land } from './landing.ts'
import { activate, beginSwitch, leave, undoSwitch } from './leaving.ts'
import { removeLeftovers } from './leftovers.ts'
import { requireMovable, requireRoom } from './preflight.ts'
import { enableSubscription, isPublished, progressOf, startReplication } from './replication.ts'
import { recordMove } from './state.ts'
import { catchUp, stoppedAtError, withWritesStopped } from './stop.ts'

/** Steps of a move, in their order; each is reported when it is done. */
export type Done =
  | 'recorded'
  | 'subscribed'
  | 'copied'
  | 'stopped'
  | 'caught up'
  | 'compared'
  | 'switching'
  | 'landed'
  | 'left'
  | 'active'
  | 'cleaned up'

export type Wishes = {
  /** libpq keywords by which the target reaches the source, besides or instead of those of this program; '' for none. */
  address: string
  /** How long writes may be stopped while the target catches up, in seconds. */
  stopAtMost: number
  /** What happens, for people. */
  report(line: string): void
  /** What is done, for programs. */
  done?(step: Done): void
}

/** A move that is over. What was done by an earlier command is null. */
export type Moved = { id: string; rows: number | null; seconds: number; stopped_seconds: number | null }

/**
 * Moves a studio from one cell to another, or goes on with a move that was interrupted.
 *
 * @throws MoveFailed when it cannot be done; whatever happens, one of the cells has the whole studio
 */
export function moveStudio(from: Cell, to: Cell, studioId: string, wishes: Wishes): Promise<Moved> {
  const start = performance.now()
  return withBoth(from, to, studioId, async (both) => {
    const result = await goOn(both, studioId, wishes)
    return { ...result, seconds: (performance.now() - start) / 1000 }
  })
}

async function goOn(both: Both, studioId: string, wishes: Wishes): Promise<Omit<Moved, 'seconds'>> {
  let move = both
  let rows: number | null = null
  let stopped: number | null = null
  for (;;) {
    const step = nextStep(move)
    if (typeof step !== 'string') throw refusal(step, move)
    const { source, target, leaving } = move
    if (step === 'clear') {
      wishes.report('removing what an interrupted move left')
      await clearMove(move)
    } else if (step === 'start') {
      await begin(move, studioId, wishes).catch(async (error: unknown) => {
        // Nothing is copied yet. What cannot be removed now is removed by the next command.
        await clearMove({ source, target, ...(await known(source, target, studioId)) }).catch(() => undefined)
        throw error
      })
    } else if (leaving === undefined) {
      throw new Error(`no move to ${step}`)
    } else if (step === 'copy') {
      if (await isAlive(move)) {
        ;({ rows, stopped } = await copyAndSwitch(move, wishes))
      } else await clearMove(move)
    } else if (step === 'leave') {
      await leave(source, leaving)
      wishes.done?.('left')
    } else if (step === 'activate') {
      await activate(source, target, leaving)
      wishes.done?.('active')
    } else {
      await removeLeftovers(source, leaving)
      wishes.done?.('cleaned up')
      return { id: leaving.id, rows, stopped_seconds: stopped }
    }
    move = { source, target, ...(await known(source, target, studioId)) }
  }
}

async function begin({ source, target }: Both, studioId: string, { address, report, done }: Wishes): Promise<void> {
  await requireMovable(source, target)
  await requireRoom(source, target, studioId)
  const id = randomUUID()
  // The target first: whatever the source has begun, the target knows of.
  await recordMove(target, { id, studioId, direction: 'arriving', peer: source.name, state: 'arriving' })
  await recordMove(source, { id, studioId, direction: 'leaving', peer: target.name, state: 'copying' })
  done?.('recorded')
  report(`copying from ${source.name} to ${target.name}; the studio is read and written meanwhile`)
  await startReplication(source, target, { id, studio_id: studioId }, address)
  done?.('subscribed')
}

/** Whether the replication of a move that was interrupted still works. */
async function isAlive({ source, target, leaving }: Both): Promise<boolean> {
  if (leaving === undefined || !(await isPublished(source, leaving.id))) return false
  return (await progressOf(target, leaving.id)) !== undefined
}

async function copyAndSwitch(both: Both, wishes: Wishes): Promise<{ rows: number; stopped: number }> {
  const { source, target, leaving: move } = both
  if (move === undefined) throw new Error('no move to go on with')
  const { report, done, stopAtMost } = wishes
  await allCopied(both, report)
  done?.('copied')
  return withWritesStopped(source, move.studio_id, report, async (session, since) => {
    report('writes are stopped; reads go on')
    done?.('stopped')
    await requireStudio(both)
    await catchUp(session, target, move, since + stopAtMost * 1000)
    done?.('caught up')
    const rows = await compareCopies(session, target, move.studio_id)
    report(`${rows} rows are the same in both cells`)
    done?.('compared')
    await beginSwitch(session, move)
    done?.('switching')
    await land(session, target, move).catch(async (error: unknown) => {
      await undoSwitch(session, target, move.id)
      throw error
    })
    done?.('landed')
    await leave(session, move)
    done?.('left')
    await activate(session, target, move)
    const stopped = (performance.now() - since) / 1000
    report(`${target.name} has the studio; writes were stopped for ${stopped.toFixed(1)} s`)
    done?.('active')
    return { rows, stopped }
  })
}

/** How often in a row the replication may stop at an error, such as a lost connection, before it is one that stays. */
const errorsAtMost = 10
/** How long after an error it is tried again, in milliseconds. */
const errorPauseMs = 2_000

/** Waits until each table was copied once; from then on changes arrive as they are made. */
async function allCopied({ target, leaving }: Both, report: Wishes['report']): Promise<void> {
  const id = leaving?.id ?? ''
  for (let [shown, errors] = [-1, 0]; ; ) {
    const progress = await progressOf(target, id)
    if (progress === undefined) throw stoppedAtError(target)
    if (!progress.enabled) {
      errors += 1
      if (errors > errorsAtMost) throw stoppedAtError(target)
      if (errors > 1) await sleep(errorPauseMs)
      await enableSubscription(target, id)
      continue
    }
    if (progress.ready !== shown) {
      report(`${progress.ready} of ${progress.tables} tables are copied`)
      ;[shown, errors] = [progress.ready, 0]
    }
    if (progress.ready === progress.tables) return
    await sleep(100)
  }
}

/** @throws MoveFailed when the studio has been removed meanwhile, or its removal has begun */
async function requireStudio({ source, leaving }: Both): Promise<void> {
  const { rowCount } = await source.client.query('select from app.studios where id = $1 and removed_at is null', [
    leaving?.studio_id,
  ])
  if (rowCount !== 1) throw new MoveFailed('the studio is being removed', 'Abort the move: studio move … --abort')
}

function refusal({ refused }: Refusal, { source, target, leaving, arriving }: Both): MoveFailed {
  const [from, to] = [leaving?.state ?? 'nothing', arriving?.state ?? 'nothing']
  const what = `${source.name} knows of this move: ${from}; ${target.name}: ${to}`
  if (refused === 'source restored') {
    return new MoveFailed(
      `${target.name} has the studio, and ${source.name} has an older copy from a backup (${what}); nothing was changed`,
      `Remove the older copy there: studio remove --cell ${source.name}`,
    )
  }
  if (refused === 'target restored') {
    return new MoveFailed(
      `${target.name} was restored from a backup of before the switch (${what}); nothing was changed`,
      `Restore ${target.name} to a later moment, or ${source.name} to one before the switch: docs/scaling.md`,
    )
  }
  return new MoveFailed(
    `the cells know different moves (${what}); nothing was changed`,
    'One was restored: docs/scaling.md',
  )
}
