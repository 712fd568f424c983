import type { ServerResponse } from 'node:http'
import type { Parameters } from '../http/parameters.ts'
import type { Cursors, Position } from './cursors.ts'
import { type Operation, parametersOf } from './operation.ts'

/**
 * What a cursor belongs to: the operation and what is asked of it besides the page. Only what is given, so that a parameter that is
 * added later leaves the cursors of other requests as they are.
 */
export function questionOf(operation: Operation, values: Readonly<Parameters>): string {
  const names = parametersOf(operation).filter((name) => name !== 'page' && name !== 'cursor')
  const given = names.filter((name) => values[name] !== null).map((name) => [name, values[name]])
  return `${operation.id} ${JSON.stringify(given)}`
}

/**
 * The value of `Link` (RFC 8288): the address of the next page, by its cursor.
 *
 * @param next where the next page begins
 */
export function linkTo(
  next: Position,
  cursors: Cursors,
  list: {
    operation: Operation
    /** The address of the operation that clients use. */
    url: string
    values: Readonly<Parameters>
    studioId: string
  },
): string {
  const { operation, url, values, studioId } = list
  const query = new URLSearchParams()
  for (const name of parametersOf(operation)) {
    if (name !== 'page' && name !== 'cursor' && values[name] !== null) query.set(name, String(values[name]))
  }
  query.set('cursor', cursors.write(next, questionOf(operation, values), studioId))
  return `<${url}?${query}>; rel="next"`
}

/**
 * Sets `Next-Updated-Since`, the moment before which nothing can still become visible (RFC 3339, to the millisecond).
 *
 * @param watermark as PostgreSQL writes it, in UTC; null when the database knows none, and nothing is set
 */
export function setNextUpdatedSince(response: ServerResponse, watermark: string | null): void {
  if (watermark === null) return
  // PostgreSQL leaves out zeros at the end of a fraction.
  if (watermark !== last.watermark) last = { watermark, text: new Date(`${watermark}:00`).toISOString() }
  response.setHeader('Next-Updated-Since', last.text)
}

/** The watermark moves once a second, for all requests. */
let last = { watermark: '', text: '' }
