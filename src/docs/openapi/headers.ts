import { z } from 'zod'
import { count, timestamp } from '../../api/fields.ts'
import { prefix } from '../../api/operations.ts'
import { exampleCursor } from '../../api/parameters.ts'
import { type Addresses, exampleAddresses } from './information.ts'
import { type JsonSchema, schemaOf } from './schemas.ts'

/** A header object of OpenAPI. */
type Header = { description: string; required?: true; schema: JsonSchema; example: string | number }

/** An example of an answer's entity-tag. */
const exampleTag = 'W/"k3Xw0Zr1aQ.48210377115.2026-03-02"'

const entityTag = /^W\/"[\w.-]+"$/
const window = (unit: string) => new RegExp(`^"second";${unit}, "minute";${unit}$`)

/** The response headers that clients may rely on. A response has the required ones it lists. */
const headers = {
  'X-Request-Id': {
    description:
      'Id of the request, for support. The service always generates it, and ignores one that the client sends.',
    required: true,
    schema: schemaOf(z.uuid()),
    example: '6f1c2f0e-9a54-4d7e-8b0c-3f5f0d3b7a11',
  },
  'X-Ignored-Parameters': {
    description:
      'The names of query parameters that this operation does not have and has ignored, percent-encoded. Missing if there are none.',
    schema: schemaOf(z.string()),
    example: 'catgory',
  },
  'Cache-Control': {
    description: 'No response may be cached.',
    required: true,
    schema: schemaOf(z.enum(['no-store'])),
    example: 'no-store',
  },
  'Access-Control-Allow-Origin': {
    description:
      'Scripts of any web page that have a token may read the response. Missing if the operator has switched that off, and ' +
      'on the response to a message that is not well-formed.',
    schema: schemaOf(z.enum(['*'])),
    example: '*',
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
  'RateLimit-Limit': {
    description: 'The quota of the tighter window, for clients that do not know `RateLimit`.',
    schema: schemaOf(count),
    example: 20,
  },
  'RateLimit-Remaining': {
    description: 'The remaining requests in that window.',
    schema: schemaOf(count),
    example: 19,
  },
  'RateLimit-Reset': {
    description: 'In how many seconds that window resets.',
    schema: schemaOf(count),
    example: 1,
  },
  ETag: {
    description:
      "The version of the response: send it as `If-None-Match`. It changes with the studio's data and day. Weak and opaque. Missing " +
      'if the response left out records that are too new for a poll.',
    schema: schemaOf(z.string().regex(entityTag)),
    example: exampleTag,
  },
  Link: {
    description:
      'The address of the next page, by the key of the last record (RFC 8288). Missing on the last page. Follow it unchanged.',
    schema: schemaOf(z.string().regex(/^<https?:\/\/[^<>]+>; rel="next"$/)),
    example: `<${exampleAddresses.publicUrl}${prefix}/items?per_page=50&cursor=${exampleCursor}>; rel="next"`,
  },
  'Next-Updated-Since': {
    description:
      'Every change before this moment is visible: use it as the next `updated_since`. Take the value of the first page of a poll.',
    schema: schemaOf(timestamp),
    example: '2026-03-02T09:29:58.412Z',
  },
  'Next-Updated-Since-Age': {
    description:
      'How many seconds ago `Next-Updated-Since` is: one or two. It grows while somebody leaves a change of any studio unfinished; ' +
      'polls return newer changes when that has ended.',
    schema: schemaOf(count),
    example: 1,
  },
  'Retry-After': {
    description: 'Seconds to wait before the next attempt.',
    required: true,
    schema: schemaOf(z.int().min(1).max(3600)),
    example: 1,
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme that the service accepts.',
    required: true,
    schema: schemaOf(z.enum(['Bearer'])),
    example: 'Bearer',
  },
} as const satisfies Record<string, Header>

export type HeaderName = keyof typeof headers

/** The headers as components. Their examples have the address of this service. */
export function headerComponents({ publicUrl }: Addresses): Record<HeaderName, Header> {
  const example = headers.Link.example.replace(exampleAddresses.publicUrl, () => publicUrl)
  return { ...headers, Link: { ...headers.Link, example } }
}

/** References to headers, for a response. */
export function refer(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}
