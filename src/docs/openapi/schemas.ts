import { z } from 'zod'
import { components } from '../../api/fields.ts'
import type { Operation } from '../../api/operation.ts'
import { allParameters } from '../../api/operations.ts'
import { type Parameter, pathId } from '../../api/parameters.ts'

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const uri = (id: string) => `#/components/schemas/${id}`

/** Every schema that has a name, in the order of the names: that of the registry depends on which file is imported
 * first. They are the schemas that the tests validate every response against, but that they permit further fields.
 * Otherwise only the notation differs: a pattern that repeats a format is omitted, and null is one of two types
 * rather than one of two schemas. */
export function componentSchemas(): Record<string, JsonSchema> {
  const { schemas } = z.toJSONSchema(components, { uri, override: ({ jsonSchema }) => shorten(jsonSchema) })
  const named = Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(named.map(([id, { $id, $schema, ...schema }]) => [id, schema]))
}

/** A schema where it is used: a reference when it has a name, else the schema itself. */
export function schemaOf(schema: z.ZodType): JsonSchema {
  const id = components.get(schema)?.id
  if (id !== undefined) return { $ref: uri(id) }
  const { $schema, ...inline } = z.toJSONSchema(schema, { override: ({ jsonSchema }) => shorten(jsonSchema) })
  return inline
}

type Mutable = z.core.JSONSchema.BaseSchema

function shorten(schema: Mutable): void {
  takeNullAsType(schema)
  // What has a format needs no pattern, which generators of examples fill with dates that do not exist.
  if (schema.format !== undefined) delete schema.pattern
  // A field that v1 gains is no error to a client.
  if (schema.additionalProperties === false) delete schema.additionalProperties
  // What JavaScript can count to. `int64` would make generators use types that arithmetic does not take.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** `anyOf: [{ type: 'string', … }, { type: 'null' }]` becomes `type: ['string', 'null'], …`. A reference stays as it is. */
function takeNullAsType(schema: Mutable): void {
  const [one, other] = schema.anyOf ?? []
  if (typeof one !== 'object' || typeof other !== 'object' || other.type !== 'null') return
  if (typeof one.type !== 'string') return
  delete schema.anyOf
  Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] })
}

/** Every query parameter as a component, and the header of a conditional request. */
export function parameterComponents(): Record<string, object> {
  const described = Object.entries(allParameters).map(([name, parameter]) => [name, queryParameter(name, parameter)])
  return Object.fromEntries([...described, [conditional.name, conditional]])
}

/** Parameters whose values only an answer gives. Without an example: tools that make requests of the description
 * (Bruno) would send it as it is, and the `cursor` of another service is a 400. What they look like is in the headers
 * that give them. */
const fromAnswers: readonly string[] = ['cursor']

/** The header of a conditional request. The service accepts any text; one that is not a list of entity-tags matches
 * nothing. The pattern has \x22 for the quotation mark: some generators write patterns into string literals as they
 * are. */
const conditional = {
  name: 'If-None-Match',
  in: 'header',
  description:
    'The `ETag` of an earlier answer to the same request: the answer is 304, without a body, while it is current.',
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

/** The parameters of an operation: the id of its path, references to those of its query, and to `If-None-Match`. */
export function parametersOf(operation: Operation): object[] {
  const { path, examples } = operation
  const names = [...Object.keys(operation.parameters), ...(isConditional(operation) ? [conditional.name] : [])]
  const shared = names.map((name) => ({ $ref: `#/components/parameters/${name}` }))
  if (!path.includes('{id}')) return shared
  const { description, schema } = pathId
  const example = idOf(path, Object.values(examples)[0]?.request ?? '')
  return [{ name: 'id', in: 'path', required: true, description, schema: schemaOf(schema), example }, ...shared]
}

/** Whether an operation has an ETag: all but the one whose photo URLs are signed for each answer. */
export function isConditional({ photos }: Operation): boolean {
  return photos !== true
}

/** The segment of a request in place of `{id}` in its path. */
function idOf(path: string, request: string): string | undefined {
  return request.split('/')[path.split('/').indexOf('{id}')]
}
