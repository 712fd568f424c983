import { z } from 'zod'
import { standingHeaders } from '../../../http/response.ts'
import { type JsonSchema, schemaOf } from './schemas.ts'

/** A header object of OpenAPI. */
type Header = { description: string; required?: true; schema: JsonSchema; example: string | number }

const window = (unit: string) => new RegExp(`^"second";${unit}, "minute";${unit}$`)

/** The response headers that a client may rely on. A required one is on every response that lists it. */
export const headers = {
  'X-Request-Id': {
    description:
      'Names the request, for support. Always made by the service: one that the client sends is not taken over.',
    required: true,
    schema: schemaOf(z.uuid()),
    example: '6f1c2f0e-9a54-4d7e-8b0c-3f5f0d3b7a11',
  },
  'Cache-Control': {
    description: 'No response may be kept by a cache.',
    required: true,
    schema: schemaOf(z.enum([standingHeaders['Cache-Control'] ?? ''])),
    example: 'no-store',
  },
  'RateLimit-Policy': {
    description: 'The limits of the token: a quota `q` in a window of `w` seconds, one item per window.',
    schema: schemaOf(z.string().regex(window('q=\\d+;w=\\d+'))),
    example: '"second";q=20;w=1, "minute";q=300;w=60',
  },
  RateLimit: {
    description: 'What is left: `r` requests in each window, which resets in `t` seconds.',
    schema: schemaOf(z.string().regex(window('r=\\d+;t=\\d+'))),
    example: '"second";r=19;t=1, "minute";r=299;t=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: schemaOf(z.int().min(1).max(3600)),
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'The scheme that the service takes.',
    required: true,
    schema: schemaOf(z.enum(['Bearer'])),
    example: 'Bearer',
  },
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof headers

/** References to headers, for a response. */
export function refer(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
