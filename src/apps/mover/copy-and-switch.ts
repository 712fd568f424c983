import { setTimeout as sleep } from 'node:timers/promises'
import type { MovePair } from './both-cells.ts'
import { MoveFailed } from './cell.ts'
import { compareCopies } from './compare-copies.ts'
import { activate, beginSwitch, leave, undoSwitch } from './leave-source.ts'
import type { MoveOptions } from './options.ts'
import { enableSubscription, progressOf } from './replication.ts'
import { requireSchema } from './schema.ts'
import { waitForStandbys } from './standbys.ts'
import { catchUp, stoppedAtError, withWritesStopped } from './stop-writes.ts'
import { switchReads } from './switch-reads.ts'

/**
 * Waits for the copy, stops the writes, compares both copies and switches.
 *
 * @returns how many rows there are, and for how many seconds writes were stopped
 * @throws MoveFailed when it cannot be done: until the switch the source has the studio and is written on
 */
export async function copyAndSwitch(both: MovePair, options: MoveOptions): Promise<{ rows: number; stopped: number }> {
  const { source, target, leaving: move } = both
  if (move === undefined) throw new Error('no move to go on with')
  const { report, done, stopAtMost } = options
  await allCopied(both, report)
  done?.('copied')
  return withWritesStopped(source, move.studio_id, report, async (session, since) => {
    const end = since + stopAtMost * 1000
    report('writes are stopped; reads go on')
    done?.('stopped')
    await requireStudio(both)
    await requireSchema(source, both.target)
    await catchUp(session, target, move, end)
    done?.('caught up')
    const rows = await compareCopies(session, target, move.studio_id, end)
    report(`${rows} rows are the same in both cells`)
    done?.('compared')
    await beginSwitch(session, move)
    done?.('switching')
    await switchReads(session, target, move).catch(async (error: unknown) => {
      await undoSwitch(session, target, move.id)
      throw error
    })
    done?.('landed')
    await waitForStandbys(target, report)
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
const maxErrors = 10
/** How long after an error it is tried again, in milliseconds. */
const errorBackoffMs = 2_000

/** Waits until each table was copied once; from then on changes arrive as they are made. */
async function allCopied({ target, leaving }: MovePair, report: MoveOptions['report']): Promise<void> {
  const id = leaving?.id ?? ''
  for (let [shown, errors] = [-1, 0]; ; ) {
    const progress = await progressOf(target, id)
    if (progress === undefined) throw stoppedAtError(target)
    if (!progress.enabled) {
      errors += 1
      if (errors > maxErrors) throw stoppedAtError(target)
      if (errors > 1) await sleep(errorBackoffMs)
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
async function requireStudio({ source, leaving }: MovePair): Promise<void> {
  const { rowCount } = await source.client.query('select from app.studios where id = $1 and removed_at is null', [
    leaving?.studio_id,
  ])
  if (rowCount !== 1) throw new MoveFailed('the studio is being removed', 'Abort the move: studio move … --abort')
}
