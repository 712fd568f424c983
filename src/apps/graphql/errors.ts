import { isSafeError } from 'postgraphile/grafast'
import { GraphQLError, type GraphQLFormattedError } from 'postgraphile/graphql'
import { AnalysisFailed } from '../../database/analyst-transaction.ts'
import { TooMuch, tooLarge } from './limits.ts'

/** The error codes that a client gets in `extensions.code`. */
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
 * An error of execution. Only the errors of GraphQL itself and those made for clients are shown.
 *
 * Serves: "masked errors, SQL never shown".
 *
 * @param hidden gets the errors that are not shown
 */
export function maskedError(error: GraphQLError, hidden: (cause: unknown) => void): ShownError {
  const cause = error.originalError
  if (cause === undefined || cause instanceof GraphQLError) return shownError(error, 'invalid_query')
  if (cause.message.startsWith(planningTimeout)) {
    return { ...shownError(error, 'too_much'), message: 'The query takes too long to plan: split it into several.' }
  }
  if (isSafeError(cause)) return { ...shownError(error, 'invalid_value'), message: cause.message }
  if (ofFilters.includes(cause.message)) return { ...shownError(error, 'invalid_value'), message: cause.message }
  // The transaction reports its failure itself.
  if (!(cause instanceof AnalysisFailed)) hidden(cause)
  return { ...shownError(error, 'internal_error'), message: 'Something went wrong on our side.' }
}

/** What Grafast says when a plan takes longer than `timeouts.planning` in the preset. It has no class of its own. */
const planningTimeout = 'Operation took too long to plan'

/** Errors of the filter plugin for ambiguous values; it does not mark them as made for clients. */
const ofFilters: readonly string[] = [
  'Null literals are forbidden in filter argument input.',
  'Empty objects are forbidden in filter argument input.',
]

/** What a failure before or during the transaction means for the client; undefined: an internal error. */
export function refusalOf(error: unknown): Refused | undefined {
  if (error instanceof Refused) return error
  if (error instanceof TooMuch) return refuse('too_much', error.message)
  if (error instanceof AnalysisFailed && error.kind === 'value') {
    return refuse('invalid_value', 'A value in the query cannot be used.')
  }
  if (error instanceof AnalysisFailed && error.kind === 'time') {
    return refuse('too_slow', 'The query takes longer than the limit: request less at once.')
  }
  if (error instanceof AnalysisFailed && error.kind === 'size') return refuse('too_much', tooLarge)
  return undefined
}
