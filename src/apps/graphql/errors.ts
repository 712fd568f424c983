import { isSafeError } from 'postgraphile/grafast'
import { GraphQLError, type GraphQLFormattedError } from 'postgraphile/graphql'
import { AnalysisFailed } from '../../database/analyst-transaction.ts'
import { TooMuch } from './limits.ts'

/** What a client is told besides the message, in `extensions.code`. */
export type ErrorCode =
  | 'bad_request'
  | 'syntax_error'
  | 'invalid_query'
  | 'invalid_value'
  | 'too_much'
  | 'too_slow'
  | 'internal_error'

/** An error as the answer shows it. */
export type ShownError = GraphQLFormattedError & { extensions: { code: ErrorCode } }

/** An error of the request as a whole, with the status of its answer. */
export class Refused extends Error {
  override name = 'Refused'
  readonly status: 400 | 503 | 500
  readonly errors: readonly ShownError[]

  constructor(errors: readonly ShownError[], status: 400 | 503 | 500 = 400) {
    super(errors[0]?.message)
    this.status = status
    this.errors = errors
  }
}

export function refuse(code: ErrorCode, message: string): Refused {
  return new Refused([{ message, extensions: { code } }])
}

/** An error of GraphQL itself, which says nothing but what the client wrote and what the schema is. */
export function shownError(error: GraphQLError, code: ErrorCode): ShownError {
  const { message, locations, path } = error.toJSON()
  return { message, ...(locations && { locations }), ...(path && { path }), extensions: { code } }
}

/**
 * An error of execution. Shown are the errors of GraphQL itself and those made to be shown; of all others nothing is.
 *
 * Serves: "masked errors, SQL never shown".
 *
 * @param hidden is told what is not shown
 */
export function maskedError(error: GraphQLError, hidden: (cause: unknown) => void): ShownError {
  const cause = error.originalError
  if (cause === undefined || cause instanceof GraphQLError) return shownError(error, 'invalid_query')
  if (isSafeError(cause)) return { ...shownError(error, 'invalid_value'), message: cause.message }
  if (ofFilters.includes(cause.message)) return { ...shownError(error, 'invalid_value'), message: cause.message }
  // The transaction reports its failure itself.
  if (!(cause instanceof AnalysisFailed)) hidden(cause)
  return { ...shownError(error, 'internal_error'), message: 'Something went wrong on our side.' }
}

/** What the filters say of a value that could mean two things; they do not mark it as made to be shown. */
const ofFilters: readonly string[] = [
  'Null literals are forbidden in filter argument input.',
  'Empty objects are forbidden in filter argument input.',
]

/** What a failure before or during the transaction means for the client; undefined: it is ours. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error
  if (error instanceof TooMuch) return refuse('too_much', error.message)
  if (error instanceof AnalysisFailed && error.kind === 'value') {
    return refuse('invalid_value', 'A value in the query cannot be used.')
  }
  if (error instanceof AnalysisFailed && error.kind === 'time') {
    return refuse('too_slow', 'The query takes longer than it may: ask for less at once.')
  }
  return undefined
}
