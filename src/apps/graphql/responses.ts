import type { IncomingMessage, ServerResponse } from 'node:http'
import { createBody, sendCompressed, varyByEncoding } from '../../http/compression.ts'
import { jsonType, send } from '../../http/response.ts'
import { limits } from './limits.ts'
import { unavailable } from './unavailable.ts'

type Definition = { status: number; message: string; headers?: Readonly<Record<string, string>> }

/** Every answer for which no query is executed. The texts reveal no cause. */
const definitions = {
  unauthenticated: {
    status: 401,
    message: 'A valid identity is required, sent as: Authorization: Bearer <JWT>',
    headers: { 'WWW-Authenticate': 'Bearer' },
  },
  plan_required: { status: 403, message: "The studio's plan does not include API access." },
  not_found: { status: 404, message: 'There is nothing at this address.' },
  method_not_allowed: { status: 405, message: 'Send queries by POST.', headers: { Allow: 'POST' } },
  payload_too_large: { status: 413, message: `The body of a request has at most ${limits.bodyBytes} bytes.` },
  unsupported_media_type: { status: 415, message: 'The body must be application/json, without a content encoding.' },
  rate_limited: { status: 429, message: 'The rate limit is exceeded; Retry-After says when to try again.' },
  internal_error: { status: 500, message: 'Something went wrong on our side.' },
  busy: {
    status: 503,
    message: 'Too many of your queries run or wait at the moment: send them one after the other.',
    headers: { 'Retry-After': '2' },
  },
  unavailable,
} as const satisfies Record<string, Definition>

export type RefusalCode = keyof typeof definitions

/** Ends a response with a refusal, in the shape of every other answer of GraphQL. */
export function sendRefusal(response: ServerResponse, code: RefusalCode): void {
  const { status, message, headers }: Definition = definitions[code]
  for (const name in headers) response.setHeader(name, headers[name] ?? '')
  sendAnswer(response, status, { errors: [{ message, extensions: { code } }] })
}

/** Ends a response with the result of a query. */
export function sendResult(response: ServerResponse, result: object): Promise<void> {
  varyByEncoding(response)
  return sendCompressed(response.req, response, 200, jsonType, createBody(JSON.stringify(result)))
}

/** Ends a response with an answer of GraphQL. */
export function sendAnswer(response: ServerResponse, status: number, body: object): void {
  send(response, status, jsonType, JSON.stringify(body))
}

/** The body cannot be accepted. */
export class BodyRefused extends Error {
  override name = 'BodyRefused'
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(code)
    this.code = code
  }
}

/**
 * Reads the body of a request as text. A page of another site cannot send this type without a CORS preflight, so no
 * browser can be tricked into sending a query.
 *
 * @throws BodyRefused
 */
export async function readBody(request: IncomingMessage): Promise<string> {
  const type = (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  const encoding = request.headers['content-encoding'] ?? 'identity'
  if (type !== 'application/json' || encoding !== 'identity') throw new BodyRefused('unsupported_media_type')
  if (Number(request.headers['content-length'] ?? 0) > limits.bodyBytes) throw new BodyRefused('payload_too_large')
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > limits.bodyBytes) throw new BodyRefused('payload_too_large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
