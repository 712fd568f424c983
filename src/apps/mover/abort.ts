import { type Both, withBoth } from './both.ts'
import { type Cell, inCell, MoveFailed, pastTriggers, transactionOf } from './cell.ts'
import { abortable } from './decide.ts'
import { removeLeftovers } from './leftovers.ts'
import { removeArrived, removeLeft } from './remove-copy.ts'
import { dropSubscription } from './replication.ts'
import { requireSchema } from './schema.ts'
import { advance, newestMove } from './state.ts'

/**
 * Goes back to before a move: the source has the studio, and the copy in the target is deleted. What the target says counts: once it
 * has switched nothing is deleted there, whatever the source says, which may be a backup.
 *
 * @returns whether there was a move to abort
 * @throws MoveFailed when the target has switched
 */
export function abortMove(from: Cell, to: Cell, studioId: string): Promise<boolean> {
  return withBoth(from, to, studioId, async (both) => {
    const found = abortable(both)
    if (found === 'switched') {
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
export async function clearMove({ source, target, leaving, arriving }: Omit<Both, never>): Promise<void> {
  if (arriving && arriving.state !== 'aborted') {
    await transactionOf(target.client, async () => {
      await advance(target.client, arriving.id, ['arriving', 'clearing'], 'clearing')
      await dropSubscription(target, arriving.id)
    })
  }
  // Before the rows, so that the slot keeps nothing of the source's log.
  if (leaving && leaving.state !== 'aborted') {
    await removeLeftovers(source, leaving)
    await pastTriggers(source.client, () => advance(source.client, leaving.id, ['copying', 'switching'], 'aborted'))
  }
  if (arriving && arriving.state !== 'aborted') await removeArrived(target, arriving)
}

/**
 * Aborts a move whose target cannot be reached, as far as it goes: the source accepts everything again and keeps nothing for the
 * target. What has arrived there is removed by the next abort.
 *
 * @throws MoveFailed when the target may have switched
 */
export function abortWithoutTarget(from: Cell, studioId: string): Promise<void> {
  return inCell(from, async (source) => {
    const leaving = await newestMove(source, studioId, 'leaving')
    if (leaving?.state !== 'copying') {
      throw new MoveFailed(
        'the target cannot be reached, and may have switched',
        'Run it again when it can be reached: what it says counts.',
      )
    }
    await removeLeftovers(source, leaving)
    await advance(source.client, leaving.id, ['copying'], 'aborted')
  })
}

/**
 * Removes the copy that a studio has left in the cell from which it has moved.
 *
 * @returns whether there was one
 * @throws MoveFailed when the target does not say that it has the studio
 */
export function finishMove(from: Cell, to: Cell, studioId: string): Promise<boolean> {
  return withBoth(from, to, studioId, async ({ source, target, leaving, arriving }) => {
    if (leaving?.state !== 'moved') return false
    if (arriving?.id !== leaving.id || arriving.state !== 'active') {
      throw new MoveFailed(
        `${target.name} does not say that it has the studio (${arriving?.state ?? 'nothing'}); nothing was deleted`,
        'Complete the move first: run studio move without --finish.',
      )
    }
    await requireSchema(source, target)
    await removeLeftovers(source, leaving)
    await removeLeft(source, leaving)
    return true
  })
}
