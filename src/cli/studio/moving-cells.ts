import { CommandError } from '../failure.ts'
import type { Context } from '../session.ts'

/** A cell with the administrator's connection string. */
export type Named = { name: string; url: string }
/** From where to where a studio moves; `id` is the studio's. */
export type Way = { from: Named; to: Named; id: string }

/** The cells of CELLS_FILE with the administrator's connection strings. */
export function cellsOf(context: Context): Named[] {
  const cells = context
    .config()
    .cells.flatMap(({ name, databaseUrl }) =>
      name === undefined || databaseUrl === undefined ? [] : [{ name, url: databaseUrl }],
    )
  if (cells.length < 2)
    throw new CommandError('a studio moves between two cells', 'Name them in CELLS_FILE: docs/scaling.md')
  return cells
}

export function named(cells: readonly Named[], name: string): Named {
  const cell = cells.find((candidate) => candidate.name === name)
  if (cell) return cell
  throw new CommandError(`CELLS_FILE has no cell '${name}'`, `It has: ${cells.map((each) => each.name).join(', ')}`)
}

/** The id of the studio, and the cell that has it, or that it is leaving. */
export async function whereIs(cells: readonly Named[], to: Named, studio: string, wanted: string | undefined) {
  const { placesOf } = await import('../../apps/mover/places.ts')
  const others = cells.filter((cell) => cell !== to)
  const candidates = wanted === undefined ? others : [named(cells, wanted)]
  if (wanted === to.name) throw new CommandError('--from and --to name the same cell')
  const places = await placesOf(candidates, studio, to.name)
  const [first, second] = places
  if (first === undefined)
    throw new CommandError(
      `no cell but ${to.name} has a studio '${studio}'`,
      'To list them: studio-inventory studio list',
    )
  if (second !== undefined) {
    throw new CommandError(
      `several studios are called '${studio}'`,
      `Give the id: ${places.map(({ id }) => id).join(', ')}`,
    )
  }
  return { find: first.id, from: first.cell }
}
