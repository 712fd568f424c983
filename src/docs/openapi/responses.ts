import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { components, responseMeta } from '../../api/fields.ts'
import { listItems } from '../../api/items.ts'
import type { Operation } from '../../api/operation.ts'
import { readParameters } from '../../api/parameters.ts'
import { longestTarget, maxHeaderBytes, maxHeaders } from '../../http/message.ts'
import { createProblems, type ProblemCode, problemDefinitions } from '../../http/problems.ts'
import { type HeaderName, refer } from './headers.ts'
import { type Addresses, exampleAddresses } from './information.ts'
import { isConditional, schemaOf } from './schemas.ts'

const codes = Object.keys(problemDefinitions) as [ProblemCode, ...ProblemCode[]]

const problemCode = z
  .enum(codes)
  .describe('Stable identifier of the error; each is explained where `type` points.')
  .register(components, { id: 'ProblemCode' })

const parameterError = z
  .strictObject({
    parameter: z.string().describe('Name of the query parameter.'),
    code: z.string().describe('Stable identifier of the error.'),
    detail: z.string().describe('What is accepted.'),
    allowed: z.array(z.string()).optional().describe('The accepted values, for a parameter that has a fixed set.'),
  })
  .describe('An invalid query parameter.')
  .register(components, { id: 'ParameterError' })

/** The body of every error: `application/problem+json` (RFC 9457) and this service's members. */
export const problem = z
  .strictObject({
    type: z.url().describe('Where the error is explained.'),
    title: z.string().describe('The error in a few words, the same for every occurrence.'),
    status: z.int().min(400).max(599).describe('The status of the response.'),
    detail: z.string().describe('What happened, or what to do.'),
    code: problemCode,
    request_id: z.uuid().describe('Quote it to support. Also in the header `X-Request-Id`.'),
    _meta: responseMeta,
    errors: z
      .array(parameterError)
      .min(1)
      .optional()
      .describe('With code `invalid_parameter`: every invalid parameter.'),
  })
  .describe('An error in the format of RFC 9457. Every error of the service has this body.')
  .register(components, { id: 'Problem' })

const always = ['X-Request-Id', 'Cache-Control', 'Access-Control-Allow-Origin'] as const
const limits = [
  ...['RateLimit-Policy', 'RateLimit', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
] as const
/** The headers of an answer to a request whose parameters were read. */
const understood = [...always, ...limits, 'X-Ignored-Parameters'] as const
const sync = ['Next-Updated-Since', 'Next-Updated-Since-Age'] as const
const walk = ['Link', ...sync] as const

/** When each error occurs, in Markdown, for the description and the reference. */
export const whenOf: Readonly<Record<ProblemCode, string>> = {
  invalid_parameter:
    'A query parameter is invalid or given twice. `errors` lists each one: `parameter`, `code`, `detail`, and `allowed` where ' +
    'there is a list of values. Fix the request; repeating it does not help.',
  bad_request:
    'The message is not well-formed HTTP, or does not name its host exactly once. The service closes the connection.',
  unauthenticated:
    'The token is missing, malformed, unknown, revoked or expired, or does not allow the IP address of the request, ' +
    'or its user is no longer a member of the studio. All of these get the same response, without rate limit headers.',
  plan_required:
    "The token is valid, but the studio's plan does not include API access at the moment: the trial or the paid period is over.",
  not_found:
    'There is nothing at this address that the token may read: the path is unknown, or the id is malformed or unknown, or belongs ' +
    'to another studio or to an archived item. All of these get the same response.',
  removals_expired:
    'The service no longer has the removals since `updated_since`, or they may be incomplete because the database was restored or ' +
    'another server has taken over. Read every list again and replace the copy.',
  method_not_allowed: 'The method is neither GET nor HEAD. The API is read only.',
  request_timeout: 'The complete request did not arrive in time. The service closes the connection.',
  uri_too_long: `Path and query are longer than ${longestTarget / 1024} KiB.`,
  rate_limited:
    'The token has exceeded its rate limit, or too many authentications have failed from this address. The ' +
    'service read no data. Wait for `Retry-After` seconds.',
  header_fields_too_large: `The headers are more than ${maxHeaders} or larger than ${maxHeaderBytes / 1024} KiB.`,
  internal_error: 'Something went wrong in the service. Quote the `request_id` to support.',
  unavailable: 'The service cannot read its data at the moment, or is too busy. Try again after `Retry-After` seconds.',
}

/** The errors that operations share, by component. The first code describes the response. */
const errorResponses = {
  InvalidParameter: { codes: ['invalid_parameter', 'bad_request'], headers: understood },
  BadRequest: { codes: ['bad_request'], headers: always },
  Unauthenticated: { codes: ['unauthenticated'], headers: [...always, 'WWW-Authenticate'] },
  PlanRequired: { codes: ['plan_required'], headers: [...always, ...limits] },
  NotFound: { codes: ['not_found'], headers: [...always, ...limits] },
  RemovalsExpired: { codes: ['removals_expired'], headers: [...always, ...limits] },
  RateLimited: { codes: ['rate_limited'], headers: [...always, ...limits, 'Retry-After'] },
  InternalError: { codes: ['internal_error'], headers: [...always, ...limits] },
  Unavailable: { codes: ['unavailable'], headers: [...always, ...limits, 'Retry-After'] },
  // The service refuses such a message before it reads the request.
  Refused: { codes: ['request_timeout', 'uri_too_long', 'header_fields_too_large'], headers: always },
} as const satisfies Record<string, { codes: readonly ProblemCode[]; headers: readonly HeaderName[] }>

const okDescriptions = {
  list: 'A page of results; empty when nothing matches.',
  single: 'The resource.',
  array: 'All results; an empty array when there are none.',
}

type ErrorName = keyof typeof errorResponses

/** Answers to a client that already has the answer, by the name of its component. */
const notModified = {
  NotModified: {
    description: 'The response that `If-None-Match` names is still current. No body; it counts against the rate limit.',
    headers: refer([...understood, 'ETag']),
  },
  ListNotModified: {
    description:
      'The page that `If-None-Match` names is still current, and so is the `Link` that came with it. No body; it counts against the rate limit.',
    headers: refer([...understood, 'ETag', ...sync]),
  },
}

/** The shared responses as components. Errors show this service's bodies. */
export function responseComponents(addresses: Addresses): Record<string, object> {
  const components = Object.entries(errorResponses).map(([name, { codes, headers }]) => {
    const content = { schema: schemaOf(problem), examples: problemExamples(codes, addresses) }
    const description = name === 'Refused' ? codes.map((code) => whenOf[code]).join(' ') : whenOf[codes[0]]
    return [name, { description, headers: refer(headers), content: { 'application/problem+json': content } }]
  })
  return { ...notModified, ...Object.fromEntries(components) }
}

/** All responses of an operation by status: 200, 304 and its errors. */
export function responsesOf(operation: Operation, addresses: Addresses): Record<string, object> {
  const byId = operation.path.includes('{id}')
  const names: ErrorName[] = [
    Object.keys(operation.parameters).length > 0 ? 'InvalidParameter' : 'BadRequest',
    'Unauthenticated',
    'PlanRequired',
    ...(byId ? (['NotFound'] as const) : []),
    ...(operation.id === 'list_removals' ? (['RemovalsExpired'] as const) : []),
    'RateLimited',
    'InternalError',
    'Unavailable',
  ]
  const errors = names.map((name) => [problemDefinitions[errorResponses[name].codes[0]].status, reference(name)])
  const isList = operation.envelope === 'list'
  const ok = {
    description: okDescriptions[operation.envelope],
    headers: refer([...understood, ...(isConditional(operation) ? (['ETag'] as const) : []), ...(isList ? walk : [])]),
    // CSV is described in prose only: with a second media type, typed clients would have to tell
    // the two apart.
    content: { 'application/json': { schema: schemaOf(operation.schema), examples: answersOf(operation, addresses) } },
  }
  const unchanged = isConditional(operation) ? { 304: reference(isList ? 'ListNotModified' : 'NotModified') } : {}
  return { 200: ok, ...unchanged, ...Object.fromEntries(errors), default: reference('Refused') }
}

function reference(name: ErrorName | keyof typeof notModified): { $ref: string } {
  return { $ref: `#/components/responses/${name}` }
}

type Examples = Record<string, { summary: string; value: unknown }>

const folder = join(import.meta.dirname, '../../api/examples')

/** The file with the demo's answers to an operation's examples: bodies by the example's name. */
export function exampleFile({ id }: Operation): string {
  return join(folder, `${id}.json`)
}

/** The demo's answers to an operation's examples, with the addresses of this service. */
export function answersOf(operation: Operation, { publicUrl, docsUrl }: Addresses): Examples {
  const here = (_key: string, value: unknown) =>
    typeof value === 'string'
      ? value
          .replaceAll(exampleAddresses.docsUrl, () => docsUrl)
          .replaceAll(exampleAddresses.publicUrl, () => publicUrl)
      : value
  const file = exampleFile(operation)
  const bodies: Record<string, unknown> = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8'), here) : {}
  const named = Object.entries(operation.examples).map(([name, { summary }]) => {
    if (bodies[name] === undefined) throw new Error(`${file} has no example "${name}": npm run generate writes it`)
    return [name, { summary, value: bodies[name] }]
  })
  return Object.fromEntries(named)
}

const requestId = '6f1c2f0e-9a54-4d7e-8b0c-3f5f0d3b7a11'
const wrong = 'per_page=0&coverage_state=covered&updated_since=yesterday'

/** The bodies of problems, with the addresses of this service. */
export function problemExamples(codes: readonly ProblemCode[], { docsUrl }: Addresses): Examples {
  const problems = createProblems(docsUrl)
  const named = codes.map((code) => {
    const errors = code === 'invalid_parameter' ? readParameters(listItems.parameters, wrong).errors : undefined
    const value = problems.body(code, requestId, errors)
    return [code, { summary: value.title, value }]
  })
  return Object.fromEntries(named)
}
