import type { ServerResponse } from 'node:http'
import { metaText } from './envelope.ts'
import { requestIdOf, send } from './response.ts'

/** One entry of `errors[]` in the body of a 400. */
export type ParameterError = { parameter: string; code: string; detail: string; allowed?: readonly string[] }

type Definition = { status: number; title: string; detail: string; headers?: Readonly<Record<string, string>> }

/** Seconds that a client should wait when the database is unreachable or has no free connection. */
const unavailableRetrySeconds = 2

/** Every error of the service. The texts reveal no cause. */
export const problemDefinitions = {
  invalid_parameter: {
    status: 400,
    title: 'Invalid parameter',
    detail: 'At least one query parameter is invalid; see errors.',
  },
  bad_request: { status: 400, title: 'Bad request', detail: 'The request is not a well-formed HTTP message.' },
  unauthenticated: {
    status: 401,
    title: 'Authentication required',
    detail: 'A valid API token is required, sent as: Authorization: Bearer <ACCESS_TOKEN>',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  plan_required: { status: 403, title: 'Plan required', detail: "The studio's plan does not include API access." },
  not_found: { status: 404, title: 'Not found', detail: 'There is nothing at this address.' },
  removals_expired: {
    status: 410,
    title: 'Removals expired',
    detail:
      'Removals since this moment are no longer known, or may be incomplete. Read every list again and replace your copy.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address is read with GET or HEAD only.',
    headers: { Allow: 'GET, HEAD' },
  },
  request_timeout: { status: 408, title: 'Request timeout', detail: 'The request did not arrive in time.' },
  uri_too_long: { status: 414, title: 'URI too long', detail: 'The address of the request is too long.' },
  rate_limited: {
    status: 429,
    title: 'Too many requests',
    detail: 'The rate limit is exceeded; Retry-After says when to try again.',
  },
  header_fields_too_large: {
    status: 431,
    title: 'Request header fields too large',
    detail: 'The headers of the request are too many or too large.',
  },
  internal_error: {
    status: 500,
    title: 'Internal error',
    detail: 'Something went wrong on our side. Quote the request_id to support.',
  },
  unavailable: {
    status: 503,
    title: 'Service unavailable',
    detail: 'The service cannot answer at the moment. Please try again shortly.',
    headers: { 'Retry-After': String(unavailableRetrySeconds) },
  },
} as const satisfies Record<string, Definition>

export type ProblemCode = keyof typeof problemDefinitions

/** Where, on the page at `docsUrl`, an error is explained. */
export function problemAnchor(code: ProblemCode): string {
  return `error-${code.replaceAll('_', '-')}`
}

export const problemType = 'application/problem+json; charset=utf-8'

/** Renders the bodies of errors (RFC 9457). */
export type Problems = {
  /** The body as JSON text; `errors` is only for `invalid_parameter`. */
  body(code: ProblemCode, requestId: string, errors?: readonly ParameterError[]): string
  /** Ends a response with the problem, its status and the headers that belong to it; in lines where a browser shows it. */
  send(response: ServerResponse, code: ProblemCode, errors?: readonly ParameterError[]): void
}

/**
 * Prepares every body up to its request id, so that two answers of one code differ in that id and in nothing else.
 *
 * Serves: "All cases return the same generic message"; "without distinguishing the cause"; "the response carries a request_id".
 *
 * @param docsUrl where each error is explained, under its `problemAnchor`
 */
export function createProblems(docsUrl: string): Problems {
  const starts = new Map<string, string>()
  for (const [code, { status, title, detail }] of Object.entries(problemDefinitions)) {
    const type = `${docsUrl}#${problemAnchor(code as ProblemCode)}`
    starts.set(code, `${JSON.stringify({ type, title, status, detail, code }).slice(0, -1)},"request_id":"`)
  }
  const end = `","_meta":${metaText(docsUrl)}`

  const body: Problems['body'] = (code, requestId, errors) =>
    `${starts.get(code)}${requestId}${end}${errors === undefined ? '' : `,"errors":${JSON.stringify(errors)}`}}`

  return {
    body,
    send(response, code, errors) {
      const { status, headers }: Definition = problemDefinitions[code]
      for (const name in headers) response.setHeader(name, headers[name] ?? '')
      const text = body(code, requestIdOf(response), errors)
      send(response, status, problemType, isReadByPerson(response) ? JSON.stringify(JSON.parse(text), null, 2) : text)
    },
  }
}

/** Browsers say which types of page they take when somebody opens an address; programs do not ask for pages. */
function isReadByPerson({ req }: ServerResponse): boolean {
  return req.headers.accept?.includes('text/html') === true
}
