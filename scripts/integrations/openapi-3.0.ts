/** JSON whose shape the reader does not know. */
export type Json = { [key: string]: unknown }

/** What a schema of 3.1 may have here: all but `anyOf` with null and lists of types means the same in 3.0. */
const known = new Set([
  ...[
    'type',
    'properties',
    'required',
    'items',
    'description',
    'enum',
    'format',
    'pattern',
    'anyOf',
    '$ref',
    'default',
  ],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'additionalProperties'],
])

/**
 * The description as OpenAPI 3.0.3, for tools that do not read 3.1.
 *
 * @throws when the description has what this does not translate: then it is to be added here
 */
export function openApi30(document: Json): Json {
  const { openapi, info, paths, components, ...rest } = structuredClone(document) as Json & {
    info: Json & { license: Json }
    components: Json & { schemas: Record<string, Json> }
  }
  if (typeof openapi !== 'string' || !openapi.startsWith('3.1.')) throw new Error(`it is OpenAPI ${openapi}, not 3.1`)
  if ('webhooks' in rest) throw new Error('3.0 has no webhooks')
  const { summary: _, license, ...about } = info
  const { identifier, ...named } = license
  const licence = { ...named, url: `https://spdx.org/licenses/${identifier}.html` }
  const schemas = components.schemas
  return {
    openapi: '3.0.3',
    info: { ...about, license: licence },
    ...rest,
    paths: everySchema(paths, schemas),
    components: {
      ...(everySchema({ ...components, schemas: undefined }, schemas) as Json),
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, schemaOf(schema, schemas)])),
    },
  }
}

/** Translates the value of every `schema` in parameters, headers and contents. */
function everySchema(value: unknown, schemas: Record<string, Json>): unknown {
  if (Array.isArray(value)) return value.map((each) => everySchema(each, schemas))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]) => {
    if (key === 'schema') return [key, schemaOf(each, schemas)]
    return [key, key === 'example' || key === 'examples' ? each : everySchema(each, schemas)]
  })
  return Object.fromEntries(entries)
}

function schemaOf(schema: Json, schemas: Record<string, Json>): Json {
  const strange = Object.keys(schema).filter((key) => !known.has(key))
  if (strange.length > 0) throw new Error(`not translated to 3.0: ${strange}`)
  if (schema.$ref !== undefined) return withSiblings(schema)
  const { type, anyOf, properties, items, ...rest } = schema as Json & {
    properties?: Record<string, Json>
    items?: Json
  }
  return {
    ...typeOf(type),
    ...(Array.isArray(anyOf) && nullable(anyOf, schemas)),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, schemaOf(each, schemas)])),
    }),
    ...(items && { items: schemaOf(items, schemas) }),
    ...rest,
  }
}

/** OpenAPI 3.0 ignores the siblings of a reference. */
function withSiblings({ $ref, ...rest }: Json): Json {
  return Object.keys(rest).length === 0 ? { $ref } : { ...rest, allOf: [{ $ref }] }
}

function typeOf(type: unknown): Json {
  if (!Array.isArray(type)) return type === undefined ? {} : { type }
  const [one, ...others] = type.filter((each) => each !== 'null')
  if (one === undefined || others.length > 0) throw new Error(`several types: ${type}`)
  return { type: one, nullable: type.includes('null') }
}

/** A named vocabulary that may be null. 3.0 wants null among the values of an enumeration, so this
 * lists the values. */
function nullable(anyOf: Json[], schemas: Record<string, Json>): Json {
  const [named, empty, ...others] = anyOf
  const target = schemas[String(named?.$ref).split('/').at(-1) ?? '']
  if (target === undefined || empty?.type !== 'null' || others.length > 0 || !Array.isArray(target.enum)) {
    throw new Error(`not a vocabulary or null: ${JSON.stringify(anyOf)}`)
  }
  return { type: target.type, nullable: true, enum: [...target.enum, null] }
}
