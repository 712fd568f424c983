import type { ServerResponse } from 'node:http'
import { metaText, requestIdOf, send } from './response.ts'

/** One entry of `errors[]` in the body of a 400. */
export type ParameterError = { parameter: string; code: string; detail: string; allowed?: readonly string[] }

type Definition = { status: number; title: string; detail: string; headers?: Readonly<Record<string, string>> }

/** Seconds that a client should wait when the database is down or has no free connection. */
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
    detail: 'The service is temporarily unavailable. Please try again shortly.',
    headers: { 'Retry-After': String(unavailableRetrySeconds) },
  },
} as const satisfies Record<string, Definition>

export type ProblemCode = keyof typeof problemDefinitions

/** The anchor at `docsUrl` that explains an error. */
export function problemAnchor(code: ProblemCode): string {
  return `error-${code.replaceAll('_', '-')}`
}

export const problemType = 'application/problem+json; charset=utf-8'

export type Problems = ReturnType<typeof createProblems>

/** Renders errors (RFC 9457). Two answers with one code differ only in the request id. `docsUrl`
 * explains each code.
 * Serves: "All cases return the same generic message"; "without distinguishing the cause"; "the
 * response carries a request_id". */
export function createProblems(docsUrl: string) {
  const _meta = JSON.parse(metaText(docsUrl))
  const body = (code: ProblemCode, request_id: string, errors?: readonly ParameterError[]) => {
    const { title, status, detail } = problemDefinitions[code]
    return { type: `${docsUrl}#${problemAnchor(code)}`, title, status, detail, code, request_id, _meta, errors }
  }
  return {
    body,
    /** Ends a response with the problem, its status and headers. A browser gets it indented. */
    send(response: ServerResponse, code: ProblemCode, errors?: readonly ParameterError[]): void {
      const { status, headers }: Definition = problemDefinitions[code]
      for (const name in headers) response.setHeader(name, headers[name] ?? '')
      const problem = body(code, requestIdOf(response), errors)
      send(response, status, problemType, JSON.stringify(problem, null, isReadByPerson(response) ? 2 : 0))
    },
  }
}

/** Browsers that open an address accept HTML; programs do not. */
function isReadByPerson({ req }: ServerResponse): boolean {
  return req.headers.accept?.includes('text/html') === true
}
