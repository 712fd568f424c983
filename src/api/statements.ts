import type { Statement } from '../database/statement.ts'
import type { Cached } from './cache.ts'
import type { Position } from './cursors.ts'
import { type ArgumentType, type Operation, type Question, valuesOf } from './operation.ts'

/** An argument of an operation's function: its name and type, and its value for one request. */
type Argument = { name: string; type: string; value(request: Request): unknown }

/**
 * What a statement asks for: the digest of a token, a question, what the cache has for it, and the place at which the page begins
 * when the client names one. `validator` is the version for which nothing needs to be read; null for none.
 */
export type Request = {
  digest: Buffer
  question: Question
  cached: Cached
  position: Position | null
  validator: string | null
  /** The address of the client, as PostgreSQL reads it; null when it is unknown. */
  address: string | null
}

/** The arguments of an operation's function, in the order in which they are sent. They are passed by name. */
function argumentsOf(operation: Operation): Argument[] {
  const asked = Object.entries(operation.arguments).map(
    ([name, type], index): Argument => ({
      name,
      type,
      value: ({ question }) => valuesOf(operation.arguments, question)[index],
    }),
  )
  return [
    { name: 'token_digest', type: 'bytea', value: ({ digest }) => digest },
    ...asked,
    validator,
    ...(operation.key === undefined ? [] : cursorOf(operation.key)),
    { name: 'client_address', type: 'inet', value: ({ address }) => address },
  ]
}

/** The version of the answer that the cache has, as an ETag in If-None-Match: where it still is the studio's, nothing is read. */
const validator: Argument = {
  name: 'validator',
  type: 'text',
  value: (request) => request.validator,
}

/** The client's cursor, which has no version; else what the cache has for the page. */
const cursorOf = (key: ArgumentType): Argument[] => [
  {
    name: 'cursor_version',
    type: 'text',
    value: ({ position, cached }) => (position ? null : (cached.cursor?.version ?? null)),
  },
  {
    name: 'cursor_total',
    type: 'bigint',
    value: ({ position, cached }) => (position ? null : (cached.cursor?.total ?? null)),
  },
  { name: 'cursor_at', type: key, value: ({ position, cached }) => (position ?? cached.cursor)?.at ?? null },
  { name: 'cursor_id', type: 'uuid', value: ({ position, cached }) => (position ?? cached.cursor)?.id ?? null },
]

/** The statement of an operation, and the values of a request for it. */
export type OperationStatement = { statement: Statement; values(request: Request): unknown[] }

/** The prepared statement that calls the function of an operation, which authenticates the token and opens its session by itself. */
export function statementOf(operation: Operation): OperationStatement {
  const name = `api_v1.${operation.id}`
  const parameters = argumentsOf(operation)
  const given = parameters.map(({ name, type }, index) => `${name} => $${index + 1}::${type}`).join(', ')
  return {
    statement: { name, text: `select * from ${name}(${given})` },
    values: (request) => parameters.map(({ value }) => value(request)),
  }
}
