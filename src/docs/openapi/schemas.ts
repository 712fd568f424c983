import { z } from 'zod'
import { components } from '../../api/fields.ts'
import type { Operation } from '../../api/operation.ts'
import { operations } from '../../api/operations.ts'
import { type Parameter, pathId } from '../../api/parameters.ts'

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const uri = (id: string) => `#/components/schemas/${id}`

/** All named schemas, sorted by name because the registry's order depends on imports. Tests
 * validate every response against them, but the description permits further fields. Only
 * notation differs otherwise: no pattern beside a format, and null as one of two types. */
export function componentSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(components, { uri, override: ({ jsonSchema }) => shorten(jsonSchema) })
  const named = Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(named.map(([id, { $id, $schema, ...schema }]) => [id, schema]))
}

/** A schema where it is used: a reference if it has a name, else the schema. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = components.get(schema)?.id
  if (id !== undefined) return { $ref: uri(id) }
  const { $schema, ...inline } = z.toJSONSchema(schema, { override: ({ jsonSchema }) => shorten(jsonSchema) })
  return inline
}

type Mutable = z.core.JSONSchema.BaseSchema

function shorten(schema: Mutable): void {
  takeNullAsType(schema)
  // A format needs no pattern, which example generators fill with impossible dates.
  if (schema.format !== undefined) delete schema.pattern
  // Clients must accept a field that v1 gains.
  if (schema.additionalProperties === false) delete schema.additionalProperties
  // JavaScript's integers. `int64` would make generators use types without arithmetic.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** `anyOf: [{ type: 'string', … }, { type: 'null' }]` becomes `type: ['string', 'null'], …`. */
function takeNullAsType(schema: Mutable): void {
  const [one, other] = schema.anyOf ?? []
  if (typeof one !== 'object' || typeof other !== 'object' || other.type !== 'null') return
  if (typeof one.type !== 'string') return
  delete schema.anyOf
  Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] })
  if (one.enum !== undefined) schema.enum = [...one.enum, null]
}

/** The query parameters of all operations by name. */
export const allParameters: Readonly<Record<string, Parameter>> = Object.assign(
  {},
  ...operations.map(({ parameters }) => parameters),
)

/** Every query parameter as a component, and the header of a conditional request. */
export function parameterComponents(): Record<string, object> {
  const described = Object.entries(allParameters).map(([name, parameter]) => [name, queryParameter(name, parameter)])
  return Object.fromEntries([...described, [conditional.name, conditional]])
}

/** Clients take the values of these parameters from an answer, so they have no example. Tools such
 * as Postman would send an example, and `cursor` of another service gives 400. */
const fromAnswers: readonly string[] = ['cursor']

/** The header of a conditional request. Any text is accepted, but only entity-tags match. The
 * pattern has \x22 for the quotation mark, because some generators do not escape it. */
const conditional = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'The `ETag` of an earlier response to the same request. While it is current, the response is 304, without a body.',
  schema: schemaOf(z.string().regex(/^(?:\*|(?:W\/)?\x22[^\x22]*\x22(?:, *(?:W\/)?\x22[^\x22]*\x22)*)$/)),
}

function queryParameter(name: string, { schema, description, examples }: Parameter): object {
  return {
    name,
    in: 'query',
    description,
    schema: schemaOf(schema),
    ...(!fromAnswers.includes(name) && {
      examples: Object.fromEntries(examples.map((value) => [String(value), { value }])),
    }),
  }
}

/** The parameters of an operation: its id, and references to the rest. */
export function parametersOf(operation: Operation): object[] {
  const { path, examples } = operation
  const names = [...Object.keys(operation.parameters), ...(isConditional(operation) ? [conditional.name] : [])]
  const shared = names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
  if (!path.includes('{id}')) return shared
  const { description, schema } = pathId
  const example = idOf(path, Object.values(examples)[0]?.request ?? '')
  return [{ name: 'id', in: 'path', required: true, description, schema: schemaOf(schema), example }, ...shared]
}

/** Whether an operation has an ETag. One has none: it signs photo URLs for each answer. */
export function isConditional({ photos }: Operation): boolean {
  return photos !== true
}

/** The segment of a request at the place of `{id}` in a path. */
function idOf(path: string, request: string): string | undefined {
  return request.split('/')[path.split('/').indexOf('{id}')]
}
