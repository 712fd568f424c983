import { randomUUID } from 'node:crypto'
import { clearMove } from './abort.ts'
import { type MovePair, readMoves, withBothCells } from './both-cells.ts'
import { type Cell, MoveFailed } from './cell.ts'
import { removeLeftovers } from './clean-up.ts'
import { copyAndSwitch } from './copy-and-switch.ts'
import { activate, leave } from './leave-source.ts'
import { nextStep } from './next-step.ts'
import type { MoveOptions } from './options.ts'
import { requireEmptyTarget, requireMovable } from './preflight.ts'
import { otherMoveFailure, refusal } from './refusals.ts'
import { isPublished, progressOf, startReplication } from './replication.ts'
import { waitForStandbys } from './standbys.ts'
import { advance, hasArrived, openMove, recordMove } from './state.ts'

/** A move that is over. What was done by an earlier command is null. */
export type Moved = { id: string; rows: number | null; seconds: number; stopped_seconds: number | null }

/**
 * Moves a studio from one cell to another, or goes on with a move that was interrupted.
 *
 * @throws MoveFailed when it cannot be done; whatever happens, one of the cells has the whole studio
 */
export function moveStudio(from: Cell, to: Cell, studioId: string, options: MoveOptions): Promise<Moved> {
  const start = performance.now()
  return withBothCells(from, to, studioId, async (both) => {
    const result = await goOn(both, studioId, options)
    return { ...result, seconds: (performance.now() - start) / 1000 }
  })
}

async function goOn(both: MovePair, studioId: string, options: MoveOptions): Promise<Omit<Moved, 'seconds'>> {
  let move = both
  let rows: number | null = null
  let stopped: number | null = null
  for (;;) {
    const step = nextStep(move)
    if (typeof step !== 'string') throw refusal(step, studioId, move)
    const { source, target, leaving } = move
    if (step === 'clear') {
      options.report('removing what an interrupted move left')
      await clearMove(move)
    } else if (step === 'start') {
      await begin(move, studioId, options).catch(async (error: unknown) => {
        // Nothing is copied yet. What cannot be removed now is removed by the next command.
        await clearMove({ source, target, ...(await readMoves(source, target, studioId)) }).catch(() => undefined)
        throw error
      })
    } else if (leaving === undefined) {
      throw new Error(`no move to ${step}`)
    } else if (step === 'copy') {
      if (await isAlive(move)) {
        // The stop of the command that was killed ends here. Its session in the target is gone, since its lock is: it never switches.
        if (leaving.state === 'switching') await advance(source.client, leaving.id, ['switching'], 'copying')
        ;({ rows, stopped } = await copyAndSwitch(move, options))
      } else await clearMove(move)
    } else if (step === 'leave') {
      await requireArrived(move)
      await waitForStandbys(target, options.report)
      await leave(source, leaving)
      options.done?.('left')
    } else if (step === 'activate') {
      await activate(source, target, leaving)
      options.done?.('active')
    } else {
      await removeLeftovers(source, leaving)
      options.done?.('cleaned up')
      return { id: leaving.id, rows, stopped_seconds: stopped }
    }
    move = { source, target, ...(await readMoves(source, target, studioId)) }
  }
}

type Cells = Pick<MovePair, 'source' | 'target'>

async function begin(
  { source, target }: Cells,
  studioId: string,
  { address, report, done }: MoveOptions,
): Promise<void> {
  await requireNoOther({ source, target }, studioId)
  await requireMovable(source, target, report)
  await requireEmptyTarget(source, target, studioId)
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
async function isAlive({ source, target, leaving }: MovePair): Promise<boolean> {
  if (leaving === undefined || !(await isPublished(source, leaving.id))) return false
  return (await progressOf(target, leaving.id)) !== undefined
}

/** @throws MoveFailed when one of the cells has an open move of the studio: it comes to the source, or the target keeps its copy */
async function requireNoOther({ source, target }: Cells, studioId: string): Promise<void> {
  for (const cell of [source, target]) {
    const other = await openMove(cell, studioId)
    if (other) throw otherMoveFailure(studioId, other, cell.name)
  }
}

/** @throws MoveFailed when the target does not have what the source is to give up */
async function requireArrived({ source, target, leaving }: MovePair): Promise<void> {
  if (leaving && (await hasArrived(target, leaving.studio_id, leaving.id))) return
  throw new MoveFailed(
    `${target.name} does not have the studio; nothing was deleted in ${source.name}`,
    'Was it restored, or was the studio deleted there by hand? docs/scaling.md',
  )
}
