import type { Statement } from '../database/statement.ts'
import type { Cached } from './cache.ts'
import { type Operation, type Question, valuesOf } from './operation.ts'

/** An argument of an operation's function: its name and type, and its value for one request. */
type Argument = { name: string; type: string; value(request: Request): unknown }

/** What a statement asks for: the digest of a token, a question, and what the cache has for it. */
export type Request = { digest: Buffer; question: Question; cached: Cached }

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
    ...(operation.photos ? [] : [validator]),
    ...(operation.keyset ? cursor : []),
  ]
}

const validator: Argument = {
  name: 'known_version',
  type: 'text',
  value: ({ cached }) => cached.answer?.version ?? null,
}

const cursor: readonly Argument[] = [
  { name: 'anchor_version', type: 'text', value: ({ cached }) => cached.cursor?.version ?? null },
  { name: 'anchor_total', type: 'bigint', value: ({ cached }) => cached.cursor?.total ?? null },
  { name: 'anchor_at', type: 'timestamptz', value: ({ cached }) => cached.cursor?.at ?? null },
  { name: 'anchor_id', type: 'uuid', value: ({ cached }) => cached.cursor?.id ?? null },
]

/** The statements of an operation, and the values of a request for them. */
export type Statements = {
  /** For one request. */
  one: Statement
  /** For a batch: takes an array of each value, returns an answer for each request, in their order. */
  many: Statement
  values(request: Request): unknown[]
}

/**
 * The prepared statements that call the function of an operation. It authenticates each token and opens each session by itself,
 * in a batch as alone.
 */
export function statementsOf(operation: Operation): Statements {
  const name = `api_v1.${operation.id}`
  const parameters = argumentsOf(operation)
  const write = (each: (parameter: Argument, index: number) => string) => parameters.map(each).join(', ')
  return {
    one: {
      name,
      text: `select * from ${name}(${write(({ name, type }, index) => `${name} => $${index + 1}::${type}`)})`,
    },
    many: {
      name: `${name} batch`,
      text:
        'select answered.* ' +
        `from unnest(${write(({ type }, index) => `$${index + 1}::${type}[]`)}) ` +
        `with ordinality as request (${write(({ name }) => name)}, place) ` +
        `cross join lateral ${name}(${write(({ name }) => `${name} => request.${name}`)}) as answered ` +
        'order by request.place',
    },
    values: (request) => parameters.map(({ value }) => value(request)),
  }
}
