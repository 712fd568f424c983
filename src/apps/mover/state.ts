import type { Client } from '../../database/client.ts'
import { sqlState } from '../../database/errors.ts'
import { utc } from '../../database/timestamps.ts'
import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'

/** How far a studio is that leaves a cell. From `switching` on it cannot be written there, from `moved` on nobody reads it there. */
export type Leaving = 'copying' | 'switching' | 'moved' | 'finished' | 'aborted'

/**
 * How far a studio is that comes to a cell. From `landed` on it is read there, from `active` on it is written there; `left` when it has
 * moved on from there since.
 */
export type Arriving = 'arriving' | 'landed' | 'active' | 'left' | 'clearing' | 'aborted'

/** A move as one of the two cells knows it. */
export type MoveRecord<State = Leaving | Arriving> = {
  id: string
  studio_id: string
  direction: 'leaving' | 'arriving'
  /** The name of the other cell. */
  peer: string
  state: State
  started_at: string
  changed_at: string
  /** A pattern of the slots in which the tables are copied at first; null before they are made. */
  slots: string | null
}

const columns = `id, studio_id, direction, peer, state, slots, ${utc('started_at')} as started_at, ${utc('changed_at')} as changed_at`

/** The newest move of a studio from or to a cell; undefined when there was none. */
export async function newestMove<State extends Leaving | Arriving>(
  { client }: OpenCell,
  studioId: string,
  direction: MoveRecord['direction'],
): Promise<MoveRecord<State> | undefined> {
  const [row] = await rowsOf<MoveRecord<State>>(
    client,
    `select ${columns} from access.studio_moves m where studio_id = $1 and direction = $2
     order by m.started_at desc limit 1`,
    [studioId, direction],
  )
  return row
}

/** All moves that a cell knows, the newest first. */
export const allMoves = ({ client }: OpenCell): Promise<MoveRecord[]> =>
  rowsOf<MoveRecord>(client, `select ${columns} from access.studio_moves m order by m.started_at desc`)

/** The move of a studio that is not over in a cell, in either direction; undefined when there is none. */
export async function openMove({ client }: OpenCell, studioId: string): Promise<MoveRecord | undefined> {
  const [row] = await rowsOf<MoveRecord>(
    client,
    `select ${columns} from access.studio_moves m where studio_id = $1
       and state in ('copying', 'switching', 'moved', 'arriving', 'landed', 'clearing')`,
    [studioId],
  )
  return row
}

/**
 * Whether a studio has arrived in a cell and belongs there: its rows are there, or it was removed there since.
 *
 * @param moveId the move by which it arrived; null for any
 */
export async function hasArrived({ client }: OpenCell, studioId: string, moveId: string | null): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from access.studio_moves m
     where m.studio_id = $1 and ($2::uuid is null or m.id = $2) and m.direction = 'arriving'
       and m.state in ('landed', 'active')
       and (exists (select from app.studios s where s.id = $1)
         or exists (select from access.audit_log l where l.studio_id = $1 and l.event = 'studio.removed'))
     limit 1`,
    [studioId, moveId],
  )
  return rowCount === 1
}

/**
 * Writes a move down.
 *
 * @throws MoveFailed when an earlier one of the studio is not over in this cell
 */
export async function recordMove(
  { client, name }: OpenCell,
  move: { id: string; studioId: string; direction: MoveRecord['direction']; peer: string; state: Leaving | Arriving },
): Promise<void> {
  await client
    .query('insert into access.studio_moves (id, studio_id, direction, peer, state) values ($1, $2, $3, $4, $5)', [
      move.id,
      move.studioId,
      move.direction,
      move.peer,
      move.state,
    ])
    .catch((error: unknown) => {
      if (sqlState(error) !== '23505') throw error
      throw new MoveFailed(
        `${name}: another move of the studio is not over there`,
        'Finish or abort it first. What each cell knows of it: studio-inventory studio move --status',
      )
    })
}

/**
 * Takes a move from one state to the next.
 *
 * @throws MoveFailed when it is in another state: nothing may be done that this one does not allow
 */
export async function advance(
  client: Client,
  id: string,
  from: readonly (Leaving | Arriving)[],
  to: Leaving | Arriving,
): Promise<void> {
  const { rowCount } = await client.query(
    `update access.studio_moves set state = $3, changed_at = date_trunc('milliseconds', clock_timestamp())
     where id = $1 and state = any ($2)`,
    [id, from, to],
  )
  if (rowCount !== 1) throw new MoveFailed('the move was changed by another command', 'Run it again.')
}
