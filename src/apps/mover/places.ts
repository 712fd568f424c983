import { type Cell, inCell, rowsOf } from './cell.ts'
import { leftoversIn } from './leftovers.ts'
import { allMoves, type Known } from './state.ts'

/** A studio in one of the cells that have it, or had it and keep its copy. */
export type Place = { cell: Cell; id: string }

/**
 * Where the studio with this name or id is, or what it left there when it moved to the target.
 *
 * @param target the name of the cell to which it moves
 */
export async function placesOf(cells: readonly Cell[], nameOrId: string, target: string): Promise<Place[]> {
  const found = await Promise.all(
    cells.map((cell) =>
      inCell(cell, async ({ client }) => {
        const rows = await rowsOf<{ id: string }>(
          client,
          `select s.id from app.studios s
           where (s.id::text = lower($1) or lower(s.name) = lower($1))
             and not exists (
               select from access.studio_moves m where m.studio_id = s.id and m.state = 'moved' and m.peer <> $2)
           order by s.id`,
          [nameOrId, target],
        )
        return rows.map(({ id }) => ({ cell, id }))
      }),
    ),
  )
  return found.flat()
}

/** Whether a cell can be reached now. */
export const isReachable = (cell: Cell): Promise<boolean> => inCell(cell, async () => true).catch(() => false)

/** What a cell knows of moves, and what they have not removed. */
export function statusOf(cell: Cell): Promise<{ cell: string; moves: Known[]; leftovers: string[] }> {
  return inCell(cell, async (open) => ({
    cell: cell.name,
    moves: await allMoves(open),
    leftovers: await leftoversIn(open),
  }))
}
