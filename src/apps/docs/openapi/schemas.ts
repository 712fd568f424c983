import { z } from 'zod'
import { components } from '../../../api/fields.ts'

/** A JSON Schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = { readonly [keyword: string]: unknown }

const uri = (id: string) => `#/components/schemas/${id}`

/**
 * Every schema that has a name, in the order of the names: that of the registry depends on which file is imported first.
 *
 * They are the schemas that the tests validate every response against. Only the notation differs: a pattern that repeats a
 * format is omitted, and null is one of two types rather than one of two schemas.
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

const utc = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'

type Mutable = z.core.JSONSchema.BaseSchema

function shorten(schema: Mutable): void {
  takeNullAsType(schema)
  if (schema.format !== undefined) delete schema.pattern
  if (schema.format === 'date-time') schema.pattern = utc
  if (schema.type === 'integer') schema.format = 'int64'
}

/** `anyOf: [{ type: 'string', … }, { type: 'null' }]` becomes `type: ['string', 'null'], …`. A reference stays as it is. */
function takeNullAsType(schema: Mutable): void {
  const [one, other] = schema.anyOf ?? []
  if (typeof one !== 'object' || typeof other !== 'object' || other.type !== 'null') return
  if (typeof one.type !== 'string') return
  delete schema.anyOf
  Object.assign(schema, { ...one, ...schema, type: [one.type, 'null'] })
}
