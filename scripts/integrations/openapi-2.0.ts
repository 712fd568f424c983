import type { Json } from './openapi-3.0.ts'

/**
 * OpenAPI 3.0 as Swagger 2.0, for connectors of Power Automate, which reads nothing newer. What 2.0 cannot say is left out: links, the names of examples (the first
 * of a body is kept) and references to headers (they are written out). `x-nullable` is what its generators read.
 */
export function openApi20(document: Json): Json {
  const { info, servers, externalDocs, tags, paths, components } = document as Json & {
    servers: { url: string }[]
    paths: Record<string, { get: Json }>
    components: Record<'schemas' | 'parameters' | 'responses', Record<string, Json>>
  }
  const server = new URL(servers[0]?.url ?? '')
  const each = (values: Record<string, Json>, translate: (value: Json) => unknown) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, translate(value)]))
  const responseOf = (response: Json) => (response.$ref ? retarget(response) : bodyOf(response, document))
  return {
    swagger: '2.0',
    info,
    host: server.host,
    basePath: server.pathname,
    schemes: [server.protocol.replace(':', '')],
    produces: ['application/json', 'application/problem+json'],
    externalDocs,
    tags,
    securityDefinitions: { personal_access_token: key },
    security: [{ personal_access_token: [] }],
    paths: each(paths as unknown as Record<string, Json>, (path) => {
      const { parameters, responses, ...operation } = path.get as Json & { responses: Record<string, Json> }
      const given = (parameters ?? []) as Json[]
      return {
        get: {
          ...operation,
          parameters: given.map((parameter) =>
            parameter.$ref ? retarget(parameter) : parameterOf(parameter, document),
          ),
          responses: each(responses, responseOf),
        },
      }
    }),
    parameters: each(components.parameters, (parameter) => parameterOf(parameter, document)),
    responses: each(components.responses, responseOf),
    definitions: each(components.schemas, (schema) => retarget(schema)),
  }
}

/** 2.0 has no bearer token, so the whole header is the key. */
const key = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description: 'The word Bearer, a space, and the token: Bearer svc_…',
}

function bodyOf(response: Json, document: Json): Json {
  const { description, headers, content } = response as Json & { headers: Json; content?: Record<string, Json> }
  const [body] = Object.entries(content ?? {})
  const [type = '', { schema, examples }] = (body ?? ['', {}]) as [string, { schema?: Json; examples?: Json }]
  const [first] = Object.values(examples ?? {}) as { value: unknown }[]
  return {
    description,
    headers: Object.fromEntries(
      Object.entries(headers ?? {}).map(([name, header]) => {
        const { description: text, schema: shape } = follow(header as Json, document)
        return [name, { description: text, ...inline(shape as Json, document) }]
      }),
    ),
    ...(schema && { schema: retarget(schema) }),
    ...(first && { examples: { [type]: first.value } }),
  }
}

/** In 2.0, the type of a parameter stands next to its name. */
function parameterOf({ name, in: place, required, description, schema }: Json, document: Json): Json {
  return { name, in: place, ...(required === true && { required }), description, ...inline(schema as Json, document) }
}

function inline(schema: Json, document: Json): Json {
  const { description: _, ...shape } = follow(schema, document)
  return shape
}

function follow(value: Json, document: Json): Json {
  if (typeof value.$ref !== 'string') return value
  const keys = value.$ref.replace('#/', '').split('/')
  return keys.reduce((place, each) => place[each] as Json, document)
}

/** References lead to `definitions`, `parameters` and `responses`; null becomes an extension. */
function retarget<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(retarget) as Value
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, each]) => {
    if (name === '$ref')
      return [name, String(each).replace('#/components/schemas/', '#/definitions/').replace('/components', '')]
    if (name === 'nullable') return ['x-nullable', each]
    if (name === 'enum') return [name, (each as unknown[]).filter((one) => one !== null)]
    return [name, retarget(each)]
  })
  return Object.fromEntries(entries) as Value
}
