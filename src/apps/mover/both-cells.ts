import { sqlState } from '../../database/errors.ts'
import { type Cell, inCell, MoveFailed, type OpenCell, rowsOf } from './cell.ts'
import { otherMove } from './next-step.ts'
import { otherMoveFailure } from './refusals.ts'
import { type Arriving, type Leaving, type MoveRecord, newestMove } from './state.ts'

/** A move as both cells know it: the newest one of the studio from the one to the other. */
export type MovePair = {
  source: OpenCell
  target: OpenCell
  leaving: MoveRecord<Leaving> | undefined
  arriving: MoveRecord<Arriving> | undefined
}

/** States of a move that is over in its cell. */
const over: readonly string[] = ['finished', 'aborted', 'left']

/**
 * Opens both cells of a move and reads what they know of it, while no other command works on this studio in either.
 *
 * @throws MoveFailed when another command does, or the studio has an open move between other cells
 */
export function withBothCells<Result>(
  from: Cell,
  to: Cell,
  studioId: string,
  work: (both: MovePair) => Promise<Result>,
): Promise<Result> {
  return inCell(from, (source) =>
    inCell(to, async (target) => {
      await requireTwo(source, target)
      for (const cell of [source, target]) await lockCommand(cell, studioId)
      const moves = await readMoves(source, target, studioId)
      const other = otherMove(source.name, target.name, moves)
      if (other) throw otherMoveFailure(studioId, other, other === moves.leaving ? source.name : target.name)
      return work({ source, target, ...moves })
    }),
  )
}

/** How long the session of a command that was killed may take to end, in milliseconds. */
const sessionEndMs = 500

/**
 * Keeps other commands from this studio in a cell until the session ends.
 *
 * @throws MoveFailed when another command works on it
 */
export async function lockCommand({ name, client }: OpenCell, studioId: string): Promise<void> {
  await client.query(`set lock_timeout = ${sessionEndMs}`)
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('studio move command ' || $1, 0))`, [studioId])
  } catch (error) {
    if (sqlState(error) !== '55P03') throw error
    throw new MoveFailed(
      `another command is moving the studio (${name})`,
      'Let it end. If it was killed, run this again in a minute.',
    )
  } finally {
    await client.query('set lock_timeout = 0').catch(() => undefined)
  }
}

async function requireTwo(source: OpenCell, target: OpenCell): Promise<void> {
  const [one, other] = await Promise.all(
    [source, target].map(async ({ client }) => {
      const [row] = await rowsOf<{ name: string }>(
        client,
        `select system_identifier || ' ' || current_database() as name from pg_control_system()`,
      )
      return row?.name
    }),
  )
  if (one === other) throw new MoveFailed(`${source.name} and ${target.name} are the same database`)
}

/**
 * What both cells know now. A move that is over in one cell and is another one than that of the other cell does not count, nor does one
 * that the source has finished.
 */
export async function readMoves(
  source: OpenCell,
  target: OpenCell,
  studioId: string,
): Promise<Pick<MovePair, 'leaving' | 'arriving'>> {
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
