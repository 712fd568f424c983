import type { ServerResponse } from 'node:http'
import { isSafeError } from 'postgraphile/grafast'
import { GraphQLError, type GraphQLFormattedError } from 'postgraphile/graphql'
import { DatabaseUnavailable, ShareExceeded } from '../database/errors.ts'
import { jsonType, removeRateLimitFields, send } from '../http/response.ts'
import { IssuerUnavailable } from '../id-tokens/id-token.ts'
import { AnalysisFailed } from './analyst-transaction.ts'
import { limits, TooMuch, tooLarge } from './limits.ts'

/** An error as the answer shows it; `extensions.code` is for programs. */
type ShownError = GraphQLFormattedError & { extensions: { code: string } }

type Answer = { status: number; headers?: Readonly<Record<string, string>> }

/** The request gets this instead of data. */
export class Refused extends Error {
  override name = 'Refused'
  readonly errors: readonly ShownError[]
  readonly answer: Answer

  constructor(errors: readonly ShownError[], answer: Answer = { status: 400 }) {
    super(errors[0]?.message)
    this.errors = errors
    this.answer = answer
  }
}

export function refuse(code: string, message: string, answer?: Answer): Refused {
  return new Refused([{ message, extensions: { code } }], answer)
}

/** An error of GraphQL itself, which repeats only the query and the schema. */
export function shownError(error: GraphQLError, code: string, shown?: string): ShownError {
  const { message, locations, path } = error.toJSON()
  return { message: shown ?? message, ...(locations && { locations }), ...(path && { path }), extensions: { code } }
}

/** Grafast's message for a plan that exceeds `timeouts.planning`. The error has no class. */
const planningTimeout = 'Operation took too long to plan'

/** Errors of the filter plugin for ambiguous values, which it does not mark for clients. */
const ofFilters: readonly string[] = [
  'Null literals are forbidden in filter argument input.',
  'Empty objects are forbidden in filter argument input.',
]

/** An error of execution. Shows only GraphQL's errors and those made for clients.
 * Serves: "masked errors, SQL never shown".
 * @param hidden gets the errors that clients do not see */
export function maskedError(error: GraphQLError, hidden: (cause: unknown) => void): ShownError {
  const cause = error.originalError
  if (cause === undefined || cause instanceof GraphQLError) return shownError(error, 'invalid_query')
  if (cause.message.startsWith(planningTimeout)) {
    return shownError(error, 'too_much', 'The query takes too long to plan: split it into several.')
  }
  if (isSafeError(cause) || ofFilters.includes(cause.message)) return shownError(error, 'invalid_value', cause.message)
  // The transaction reports its own failure.
  if (!(cause instanceof AnalysisFailed)) hidden(cause)
  return shownError(error, hiddenError.extensions.code, hiddenError.message)
}

/** An error that the client does not see. */
export const hiddenError: ShownError = {
  message: 'Something went wrong on our side.',
  extensions: { code: 'internal_error' },
}

/** What the client gets for an error of the service. */
export function refusalOf(error: unknown): Refused {
  if (error instanceof Refused) return error
  if (error instanceof ShareExceeded) return declined('busy')
  if (error instanceof TooMuch) return refuse('too_much', error.message)
  if (error instanceof IssuerUnavailable || error instanceof DatabaseUnavailable) return declined('unavailable')
  const kind = error instanceof AnalysisFailed ? error.kind : 'other'
  if (kind === 'value') return refuse('invalid_value', 'A value in the query cannot be used.')
  if (kind === 'size') return refuse('too_much', tooLarge)
  if (kind === 'time') return refuse('too_slow', 'The query takes longer than the limit: request less at once.')
  return declined(kind === 'unavailable' ? 'unavailable' : 'internal_error')
}

const soon = { 'Retry-After': '2' }

/** Answers without an executed query. The texts reveal no cause. */
const definitions = {
  unauthenticated: {
    status: 401,
    message: 'A valid identity is required, sent as: Authorization: Bearer <JWT>',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  api_token: {
    status: 401,
    message:
      'An API token (svc_…) works with the REST API alone. GraphQL needs an identity, which the command `studio-inventory analyst token` prints.',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  plan_required: { status: 403, message: "The studio's plan does not include API access." },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'Send queries by POST.', headers: { Allow: 'POST' } },
  payload_too_large: {
    status: 413,
    message: `The body of a request has at most ${limits.bodyBytes} bytes.`,
    headers: { Connection: 'close' },
  },
  unsupported_media_type: {
    status: 415,
    message: 'The body must be application/json, without a content encoding.',
    headers: { Connection: 'close' },
  },
  rate_limited: { status: 429, message: 'The rate limit is exceeded; Retry-After says when to try again.' },
  internal_error: { status: 500, message: hiddenError.message },
  busy: {
    status: 429,
    message: 'Too many of your queries run or wait at the moment: send them one after the other.',
    headers: soon,
  },
  unavailable: {
    status: 503,
    message: 'The service is temporarily unavailable. Please try again shortly.',
    headers: soon,
  },
} as const satisfies Record<string, Answer & { message: string }>

export function declined(code: keyof typeof definitions): Refused {
  const { message, ...answer } = definitions[code]
  return refuse(code, message, answer)
}

/** Ends a response with a refusal, in the shape of GraphQL's answers. */
export function sendRefusal(response: ServerResponse, { errors, answer: { status, headers } }: Refused): void {
  if (status === 401) removeRateLimitFields(response)
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  send(response, status, jsonType, JSON.stringify({ errors }))
}
