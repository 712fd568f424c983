import { lockCommand } from './both-cells.ts'
import { type Cell, inCell, MoveFailed, type OpenCell, rowsOf, transactionOf, withoutTriggers } from './cell.ts'
import { removeLeftovers } from './clean-up.ts'
import { abortableAlone, activatableAlone, otherMove } from './next-step.ts'
import { howToRemove, otherMoveFailure } from './refusals.ts'
import { type Arriving, advance, hasArrived, type Leaving, type MoveRecord, newestMove } from './state.ts'

/**
 * Aborts a move without its target, as far as it goes: the source accepts everything again and keeps nothing for the target. What has
 * arrived there is removed by the next abort.
 *
 * @param targetIsLost whether somebody says that the target never comes back as it was. Then a move is aborted as well that it may have
 *   completed; what was written there is given up.
 * @throws MoveFailed when the target may have switched, or is there and has
 */
export function abortWithoutTarget(from: Cell, to: Cell, studioId: string, targetIsLost = false): Promise<void> {
  return inCell(from, async (source) => {
    await lockCommand(source, studioId)
    const leaving = await newestMove<Leaving>(source, studioId, 'leaving')
    const other = otherMove(source.name, to.name, { leaving, arriving: undefined })
    if (other) throw otherMoveFailure(studioId, other, source.name)
    if (leaving === undefined || !abortableAlone(leaving.state, targetIsLost)) {
      throw notAborted(source.name, to.name, leaving?.state)
    }
    const said = targetIsLost ? await stateIn<Arriving>(to, leaving.id) : undefined
    if (said === 'landed' || said === 'active') {
      throw new MoveFailed(
        `${to.name} is not lost: it can be reached and has the studio (${said}); nothing was changed`,
        'Run studio move without --abort to complete the move.',
      )
    }
    await removeLeftovers(source, leaving)
    await withoutTriggers(source.client, () => advance(source.client, leaving.id, [leaving.state], 'aborted'))
  })
}

function notAborted(from: string, to: string, state: Leaving | undefined): MoveFailed {
  if (state === 'switching') {
    return new MoveFailed(
      `${to} cannot be reached, and may have switched; nothing was changed`,
      `Run it again when ${to} can be reached: what it says counts. If it is lost for good: --abort --target-lost`,
    )
  }
  if (state === 'moved') {
    return new MoveFailed(
      `${from} has already deleted the studio's members and tokens (moved); nothing was changed`,
      `Restore ${to}, or ${from} to a moment before the switch: docs/scaling.md`,
    )
  }
  return new MoveFailed(
    `${from} has no move of the studio to abort`,
    `When ${to} can be reached, run --abort without --target-lost to remove what arrived there.`,
  )
}

/**
 * Makes a studio writable in the target although the source is lost after the switch, or restored to before it: somebody says that it
 * never comes back as it was. The use of tokens that it recorded is given up.
 *
 * @param cells where the source is looked for, by its name: while it can go on with the move, nothing is done
 * @returns the name of the source; null when the studio was writable already
 * @throws MoveFailed when the target has not switched, or the source is there and can go on
 */
export function activateWithoutSource(cells: readonly Cell[], to: Cell, studioId: string): Promise<string | null> {
  return inCell(to, async (target) => {
    await lockCommand(target, studioId)
    const arriving = await newestMove<Arriving>(target, studioId, 'arriving')
    if (arriving?.state === 'active') return null
    const source = cells.find(({ name }) => name === arriving?.peer)
    const said = arriving && source ? await stateIn<Leaving>(source, arriving.id) : undefined
    const found = activatableAlone(said, arriving?.state)
    if (arriving === undefined || found === 'refused') throw notActivated(to.name, arriving?.state ?? 'no move')
    if (found === 'go on') {
      throw new MoveFailed(
        `${arriving.peer} is not lost: it can be reached and knows of the move (${said}); nothing was changed`,
        'Run studio move without --source-lost: it completes the move, and nothing is given up.',
      )
    }
    if (said === 'finished' && source && (await inCell(source, (cell) => hasRows(cell, studioId)))) {
      throw new MoveFailed(
        `${arriving.peer} has the studio again, and ${to.name} has an older copy from a backup; nothing was changed`,
        `Restore ${to.name} to a later moment. Or remove the copy: run this with a CELLS_FILE without ${arriving.peer}, then ${howToRemove(studioId, to.name, arriving.peer)}.`,
      )
    }
    if (!(await hasArrived(target, studioId, arriving.id))) throw notActivated(to.name, 'without its rows')
    await activateAlone(target, arriving)
    return arriving.peer
  })
}

const notActivated = (to: string, state: string): MoveFailed =>
  new MoveFailed(
    `${to} has no complete copy of the studio (${state}); nothing was changed`,
    'Only a copy that has landed is complete: studio-inventory studio move --status. Restore the source from a backup.',
  )

/**
 * How far the source's clock may be ahead of the target's, in milliseconds: nobody knows any more which moments the source has announced
 * to polling clients.
 */
const clocksDifferMs = 10_000

async function activateAlone({ client }: OpenCell, move: Pick<MoveRecord, 'id'>): Promise<void> {
  await transactionOf(client, async () => {
    // access.heartbeat() reads the announced moment and sets a later one; between the two it must not change.
    await client.query(`select pg_advisory_xact_lock(hashtextextended('access.heartbeat', 0))`)
    await client.query(
      `select setval('app.announced_moment',
         greatest(m.last_value, ceil(extract(epoch from clock_timestamp()) * 1000)::bigint + $1))
       from app.announced_moment m`,
      [clocksDifferMs],
    )
    await advance(client, move.id, ['landed'], 'active')
  })
}

const hasRows = async ({ client }: OpenCell, studioId: string): Promise<boolean> =>
  (await client.query('select from app.studios where id = $1', [studioId])).rowCount === 1

/** What a cell says of a move; undefined when it does not know it or cannot be asked. */
function stateIn<State extends Leaving | Arriving>(cell: Cell, moveId: string): Promise<State | undefined> {
  return inCell(cell, async ({ client }) => {
    const [row] = await rowsOf<{ state: State }>(client, 'select state from access.studio_moves where id = $1', [
      moveId,
    ])
    return row?.state
  }).catch(() => undefined)
}
