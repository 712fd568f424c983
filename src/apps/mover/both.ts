import { type Cell, inCell, MoveFailed, type OpenCell, rowsOf } from './cell.ts'
import { type Arriving, type Known, type Leaving, newestMove } from './state.ts'

/** A move as both cells know it: the newest one of the studio from the one to the other. */
export type Both = {
  source: OpenCell
  target: OpenCell
  leaving: Known<Leaving> | undefined
  arriving: Known<Arriving> | undefined
}

/** States of a move that is over in its cell. */
const over: readonly string[] = ['finished', 'aborted']

/**
 * Opens both cells of a move and reads what they know of it, while no other command works on this studio.
 *
 * @throws MoveFailed when another command does
 */
export function withBoth<Result>(
  from: Cell,
  to: Cell,
  studioId: string,
  work: (both: Both) => Promise<Result>,
): Promise<Result> {
  return inCell(from, (source) =>
    inCell(to, async (target) => {
      const [lock] = await rowsOf<{ free: boolean }>(
        target.client,
        `select pg_try_advisory_lock(hashtextextended('studio move command ' || $1, 0)) as free`,
        [studioId],
      )
      if (!lock?.free) throw new MoveFailed('another command is moving the studio')
      return work({ source, target, ...(await known(source, target, studioId)) })
    }),
  )
}

/**
 * What both cells know now. A move that is over in one cell and is another one than that of the other cell does not count, nor does one
 * that the source has finished.
 */
export async function known(
  source: OpenCell,
  target: OpenCell,
  studioId: string,
): Promise<Pick<Both, 'leaving' | 'arriving'>> {
  const leaving = await newestMove<Leaving>(source, studioId, 'leaving')
  const arriving = await newestMove<Arriving>(target, studioId, 'arriving')
  if (leaving?.id === arriving?.id) return { leaving, arriving }
  const [finished] = await rowsOf<{ id: string }>(
    source.client,
    `select id from access.studio_moves where id = $1 and state = 'finished'`,
    [arriving?.id],
  )
  return {
    leaving: leaving && over.includes(leaving.state) ? undefined : leaving,
    arriving: arriving && (finished !== undefined || over.includes(arriving.state)) ? undefined : arriving,
  }
}
