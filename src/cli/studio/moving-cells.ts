import { messageOf } from '../../domain/error.ts'
import { CommandError } from '../failure.ts'
import type { Context } from '../session.ts'
import { unknown, unknownCell } from '../unknown.ts'

/** A cell with the administrator's connection string. */
export type NamedCell = { name: string; url: string }
/** From where to where a studio moves; `id` is the studio's. */
export type Route = { from: NamedCell; to: NamedCell; id: string }

/**
 * The cells of CELLS_FILE with the administrator's connection strings.
 *
 * @param least how many there have to be
 */
export function cellsOf(context: Context, least = 2): NamedCell[] {
  const cells = context
    .config()
    .cells.flatMap(({ name, databaseUrl }) =>
      name === undefined || databaseUrl === undefined ? [] : [{ name, url: databaseUrl }],
    )
  if (cells.length < least)
    throw new CommandError('a studio moves between two cells', 'Name them in CELLS_FILE: docs/scaling.md')
  return cells
}

export function named(cells: readonly NamedCell[], name: string): NamedCell {
  const cell = cells.find((candidate) => candidate.name === name)
  if (cell) return cell
  throw unknownCell(
    name,
    cells.map((each) => each.name),
  )
}

/**
 * The id of the studio, and the cell that has it, or that it is leaving. A cell that cannot be reached may have it as well: then only a
 * cell counts from which the studio is moving to this target, or that `wanted` names.
 */
export async function whereIs(cells: readonly NamedCell[], to: NamedCell, studio: string, wanted: string | undefined) {
  const { namesIn, placesOf } = await import('../../apps/mover/locate.ts')
  if (wanted === to.name) throw new CommandError('--from and --to name the same cell')
  const others = cells.filter((cell) => cell !== to)
  const candidates = wanted === undefined ? others : [named(cells, wanted)]
  const { places, unreachable } = await placesOf(candidates, studio, to.name)
  if (new Set(places.map(({ id }) => id)).size > 1) throw severalCalled(studio, places)
  const moving = places.filter((place) => place.moving)
  const [place, another] = moving.length > 0 ? moving : places
  if (place && !another && (place.moving || unreachable.length === 0)) return { find: place.id, from: place.cell }
  if (another) {
    throw new CommandError(
      `several cells have the studio: ${places.map(({ cell }) => cell.name).join(', ')}`,
      'Name the one that it moves from: --from',
    )
  }
  const arrival = place === undefined ? await arrivalIn(to, studio) : undefined
  const peer = candidates.find(({ name }) => name === arrival?.peer)
  const down = unreachable.find(({ cell }) => arrival === undefined || cell === peer)
  if (arrival && peer && !down) return { find: arrival.id, from: peer }
  const ifLost = `If it is lost for good: --to ${to.name} --source-lost`
  if (down) {
    const again = 'Run it again when it can be reached.'
    const byName = wanted === undefined ? 'Name the cell that the studio moves from: --from' : again
    throw new CommandError(
      `${down.cell.name} cannot be reached, and may have the studio: ${down.why}`,
      arrival === undefined ? byName : arrival.state === 'landed' ? `${again} ${ifLost}` : again,
    )
  }
  if (arrival) {
    const why = wanted === undefined ? 'CELLS_FILE does not have' : '--from does not name'
    throw new CommandError(`the studio comes from ${arrival.peer}, which ${why}`, `Name that cell. ${ifLost}`)
  }
  throw unknown(
    wanted === undefined
      ? `no cell but ${to.name} has a studio '${studio}'`
      : `${wanted} has no studio '${studio}', or it has moved on`,
    studio,
    await namesIn(candidates, to.name),
    'studio-inventory studio list',
  )
}

/** The studio with this name or id that has not arrived in a cell completely; undefined when there is none, or the cell is down. */
async function arrivalIn(to: NamedCell, studio: string) {
  const { arrivalsIn } = await import('../../apps/mover/locate.ts')
  const arrivals = await arrivalsIn(to, studio).catch(() => [])
  if (arrivals.length > 1) throw severalCalled(studio, arrivals)
  return arrivals[0]
}

/** The id of the studio that has landed in a cell, or arrived, without asking the cell that it comes from. */
export async function landedIn(to: NamedCell, studio: string): Promise<string> {
  const { arrivalsIn, arrivingIn } = await import('../../apps/mover/locate.ts')
  const arrivals = await arrivalsIn(to, studio).catch((error: unknown) => {
    throw new CommandError(`${to.name} cannot be asked: ${messageOf(error)}`)
  })
  if (arrivals.length > 1) throw severalCalled(studio, arrivals)
  const [arrival] = arrivals
  if (arrival) return arrival.id
  throw unknown(
    `no studio '${studio}' is waiting in ${to.name} for the end of a move`,
    studio,
    await arrivingIn(to),
    'studio-inventory studio move --status',
  )
}

const severalCalled = (studio: string, found: readonly { id: string }[]) =>
  new CommandError(`several studios are called '${studio}'`, `Give the id: ${found.map(({ id }) => id).join(', ')}`)
