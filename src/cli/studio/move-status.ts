import { print, printJson, warn } from '../output.ts'
import type { NamedCell } from './moving-cells.ts'

/** Prints what each cell knows of moves. A cell that cannot be reached is reported as such, and makes the exit status 1. */
export async function showStatus(cells: readonly NamedCell[], json: boolean): Promise<void> {
  const { statusOf } = await import('../../apps/mover/locate.ts')
  const { printTable } = await import('../table.ts')
  const all = await Promise.all(cells.map(statusOf))
  if (all.some(({ unreachable }) => unreachable !== null)) process.exitCode = 1
  if (json) return printJson(all)
  const rows = all.flatMap(({ cell, moves }) =>
    moves.map((move) => ({
      cell,
      studio: move.studio_id,
      direction: move.direction,
      peer: move.peer,
      state: move.state,
      since: move.changed_at,
    })),
  )
  const down = all.filter(({ unreachable }) => unreachable !== null)
  if (rows.length === 0) {
    if (down.length < all.length)
      print(`No studio has moved${down.length > 0 ? ' between the cells that can be reached' : ''}.`)
  } else {
    printTable(rows, {
      cell: { heading: 'CELL' },
      studio: { heading: 'STUDIO' },
      direction: { heading: 'DIRECTION' },
      peer: { heading: 'OTHER CELL' },
      state: { heading: 'STATE' },
      since: { heading: 'SINCE' },
    })
  }
  for (const { cell, leftovers } of all) for (const name of leftovers) warn(`${cell} still has the ${name}`)
  for (const { cell, unreachable } of down) warn(`${cell} cannot be reached: ${unreachable}`)
}
