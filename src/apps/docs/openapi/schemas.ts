import { z } from 'zod'
import { components } from '../../../api/fields.ts'

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const uri = (id: string) => `#/components/schemas/${id}`

/**
 * Every schema that has a name, in the order of the names: that of the registry depends on which file is imported first.
 *
 * They are the schemas that the tests validate every response against, but that they permit further fields. Otherwise only the
 * notation differs: a pattern that repeats a format is omitted, and null is one of two types rather than one of two schemas.
 */
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
