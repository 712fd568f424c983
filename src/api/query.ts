import type { ParameterError } from '../http/problems.ts'
import { queryKeyOf } from './cache.ts'
import type { Cursors, ReadCursor } from './cursors.ts'
import type { Operation } from './operation.ts'
import { cursorError, cursorWithPage, readParameters, type Values } from './parameters.ts'

export type Query = {
  /** Names of the parameters that were given. */
  given: string[]
  values: Values
  errors: ParameterError[]
  /** Where the page begins; null when the client names no cursor. */
  position: ReadCursor | null
}

/** Reads the parameters of an operation out of a query; of a cursor also the page that it continues with. */
export function readQuery(operation: Operation, query: string, cursors: Cursors): Query {
  const { given, values, errors } = readParameters(operation.parameters, query)
  const { cursor } = values
  if (errors.length > 0 || typeof cursor !== 'string') return { given, values, errors, position: null }
  if (given.includes('page')) return { given, values, errors: [cursorWithPage], position: null }
  const position = cursors.read(cursor, queryKeyOf(operation, values))
  if (position === undefined) return { given, values, errors: [cursorError], position: null }
  return { given, values: { ...values, page: position.page }, errors, position }
}
