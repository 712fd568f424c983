import {
  cursorError,
  cursorWithPage,
  type ParameterError,
  type ParameterName,
  type Parameters,
  readParameters,
} from '../http/parameters.ts'
import type { Cursors, ReadCursor } from './cursors.ts'
import { questionOf } from './list-headers.ts'
import { type Operation, parametersOf } from './operation.ts'

export type ReadQuestion = {
  given: ParameterName[]
  values: Readonly<Parameters>
  errors: ParameterError[]
  /** Where the page begins; null when the client names no cursor. */
  position: ReadCursor | null
}

/** Reads the parameters of an operation out of a query; of a cursor also the page that it continues with. */
export function readQuestion(operation: Operation, query: string, cursors: Cursors): ReadQuestion {
  const { given, values, errors } = readParameters(parametersOf(operation), query)
  if (errors.length > 0 || values.cursor === null) return { given, values, errors, position: null }
  if (given.includes('page')) return { given, values, errors: [cursorWithPage], position: null }
  const position = cursors.read(values.cursor, questionOf(operation, values))
  if (position === undefined) return { given, values, errors: [cursorError], position: null }
  return { given, values: { ...values, page: position.page }, errors, position }
}
