import { type MovePair, withBothCells } from './both-cells.ts'
import { type Cell, inCell, MoveFailed, type OpenCell, transactionOf, withoutTriggers } from './cell.ts'
import { removeLeftovers } from './clean-up.ts'
import { abortable, nextStep } from './next-step.ts'
import { refusal } from './refusals.ts'
import { removeArrived, removeLeft } from './remove-copy.ts'
import { dropSubscription } from './replication.ts'
import { requireSchema } from './schema.ts'
import { advance, hasArrived } from './state.ts'

/**
 * Goes back to before a move: the source has the studio, and the copy in the target is deleted. What the target says counts: once it
 * has switched nothing is deleted there, whatever the source says, which may be a backup.
 *
 * @returns whether there was a move to abort
 * @throws MoveFailed when the target has switched
 */
export function abortMove(from: Cell, to: Cell, studioId: string): Promise<boolean> {
  return withBothCells(from, to, studioId, async (both) => {
    const found = abortable(both)
    if (found === 'refused') {
      const step = nextStep(both)
      if (typeof step !== 'string') throw refusal(step, studioId, both)
      throw new MoveFailed(
        `${to.name} has switched: the move cannot be aborted any more`,
        'Run studio move without --abort to complete it, then move the studio back.',
      )
    }
    if (found === 'abort') await clearMove(both)
    return found === 'abort'
  })
}

/**
 * Removes what a move that did not switch has made. The target first: from its commit on the move can never switch.
 *
 * @throws MoveFailed when it has switched
 */
export async function clearMove({ source, target, leaving, arriving }: MovePair): Promise<void> {
  if (arriving && arriving.state !== 'aborted') {
    await transactionOf(target.client, async () => {
      await advance(target.client, arriving.id, ['arriving', 'clearing'], 'clearing')
      await dropSubscription(target, arriving.id)
    })
  }
  // Before the rows, so that the slot keeps nothing of the source's log.
  // Also when the removal of the studio has ended the move: that leaves what the replication made.
  if (leaving) await removeLeftovers(source, leaving)
  if (leaving && leaving.state !== 'aborted') {
    await withoutTriggers(source.client, () => advance(source.client, leaving.id, ['copying', 'switching'], 'aborted'))
  }
  if (arriving && arriving.state !== 'aborted') await removeArrived(target, arriving)
}

/**
 * Removes the copy that a studio has left in the cell from which it has moved.
 *
 * @param others cells of which one may have the studio, if it has moved on from the target since
 * @returns whether there was one
 * @throws MoveFailed when no cell says that it has the studio
 */
export function finishMove(from: Cell, to: Cell, studioId: string, others: readonly Cell[] = []): Promise<boolean> {
  return withBothCells(from, to, studioId, async (both) => {
    const { source, target, leaving, arriving } = both
    if (leaving?.state !== 'moved') return false
    await requireSchema(source, target)
    if (arriving?.id === leaving.id && arriving.state === 'left') {
      if (!(await isInOneOf(others, studioId))) throw refusal({ refused: 'moved on' }, studioId, both)
    } else if (
      arriving?.id !== leaving.id ||
      arriving.state !== 'active' ||
      !(await hasArrived(target, studioId, leaving.id))
    ) {
      throw new MoveFailed(
        `${target.name} does not say that it has the studio (${arriving?.state ?? 'nothing'}); nothing was deleted`,
        'Complete the move first: run studio move without --finish.',
      )
    }
    await removeLeftovers(source, leaving)
    await removeLeft(source, leaving)
    return true
  })
}

/** Whether one of some cells says that it has a studio. One that cannot be reached says nothing. */
async function isInOneOf(cells: readonly Cell[], studioId: string): Promise<boolean> {
  const has = (cell: OpenCell) => hasArrived(cell, studioId, null)
  const said = await Promise.all(cells.map((cell) => inCell(cell, has).catch(() => false)))
  return said.includes(true)
}
