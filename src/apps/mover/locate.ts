import { messageOf } from '../../domain/error.ts'
import { type Cell, inCell, rowsOf } from './cell.ts'
import { leftoversIn } from './clean-up.ts'
import { type Arriving, allMoves, type MoveRecord } from './state.ts'

/** A studio in one of the cells that have it, or had it and keep its copy; `moving` when it has an open move to the target there. */
export type Place = { cell: Cell; id: string; moving: boolean }

/** A cell that could not be asked, and why. */
export type Unreachable = { cell: Cell; why: string }

/**
 * Where the studio with this name or id is, or what it left there when it moved to the target.
 *
 * @param target the name of the cell to which it moves
 */
export async function placesOf(
  cells: readonly Cell[],
  nameOrId: string,
  target: string,
): Promise<{ places: Place[]; unreachable: Unreachable[] }> {
  const places: Place[] = []
  const unreachable: Unreachable[] = []
  const asked = await Promise.allSettled(
    cells.map((cell) =>
      inCell(cell, ({ client }) =>
        rowsOf<{ id: string; moving: boolean }>(
          client,
          `select s.id, exists (
               select from access.studio_moves m
               where m.studio_id = s.id and m.peer = $2 and m.state in ('copying', 'switching', 'moved')) as moving
           from app.studios s
           where (s.id::text = lower($1) or lower(s.name) = lower($1))
             and not exists (
               select from access.studio_moves m where m.studio_id = s.id and m.state = 'moved' and m.peer <> $2)
           order by s.id`,
          [nameOrId, target],
        ),
      ),
    ),
  )
  for (const [index, answer] of asked.entries()) {
    const cell = cells[index] as Cell
    if (answer.status === 'fulfilled') places.push(...answer.value.map((row) => ({ cell, ...row })))
    else unreachable.push({ cell, why: messageOf(answer.reason) })
  }
  return { places, unreachable }
}

/**
 * The names of the studios that are in these cells, or that are leaving them for the target.
 *
 * @param target the name of the cell to which one moves
 */
export async function namesIn(cells: readonly Cell[], target: string): Promise<{ name: string }[]> {
  const names = await Promise.all(
    cells.map((cell) =>
      inCell(cell, ({ client }) =>
        rowsOf<{ name: string }>(
          client,
          `select s.name from app.studios s
           where not exists (
             select from access.studio_moves m where m.studio_id = s.id and m.state = 'moved' and m.peer <> $1)`,
          [target],
        ),
      ),
    ),
  )
  return names.flat()
}

/** The names of the studios that are arriving in a cell, or have landed there and are not written yet. */
export function arrivingIn(cell: Cell): Promise<{ name: string }[]> {
  return inCell(cell, ({ client }) =>
    rowsOf(
      client,
      `select s.name from access.studio_moves m join app.studios s on s.id = m.studio_id
       where m.direction = 'arriving' and m.state in ('arriving', 'landed', 'clearing')`,
    ),
  )
}

/** The studios with this name or id that are arriving in a cell, or have landed there and are not written yet. */
export function arrivalsIn(cell: Cell, nameOrId: string): Promise<{ id: string; peer: string; state: Arriving }[]> {
  return inCell(cell, ({ client }) =>
    rowsOf(
      client,
      `select m.studio_id as id, m.peer, m.state
       from access.studio_moves m left join app.studios s on s.id = m.studio_id
       where (m.studio_id::text = lower($1) or lower(s.name) = lower($1))
         and m.direction = 'arriving' and m.state in ('arriving', 'landed', 'clearing')
       order by m.studio_id`,
      [nameOrId],
    ),
  )
}

/** Whether a cell can be reached now. */
export const isReachable = (cell: Cell): Promise<boolean> => inCell(cell, async () => true).catch(() => false)

/** What a cell knows of moves, and what they have not removed; `unreachable` says why it could not be asked. */
export type Status = { cell: string; moves: MoveRecord[]; leftovers: string[]; unreachable: string | null }

/** The status of a cell. One that cannot be reached is no error. */
export function statusOf(cell: Cell): Promise<Status> {
  return inCell(cell, async (open) => ({
    cell: cell.name,
    moves: await allMoves(open),
    leftovers: await leftoversIn(open),
    unreachable: null,
  })).catch((error: unknown) => ({ cell: cell.name, moves: [], leftovers: [], unreachable: messageOf(error) }))
}
