import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { descriptionFile, project } from './requests.ts'

export const manifestFile = 'integrations/airbyte/manifest.yaml'

type Schema = {
  $ref?: string
  type?: string | string[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}
type Operation = { responses: { 200: { content: { 'application/json': { schema: Schema } } } } }
type Description = { paths: Record<string, { get: Operation }>; components: { schemas: Record<string, Schema> } }

/** The manifest with a stream for each list of the whole studio; its other parts are written by hand. */
export function airbyteManifest(): string {
  const manifest = readFileSync(join(project, manifestFile), 'utf8')
  const streams = stringify({ streams: streamsOf(parse(readFileSync(descriptionFile, 'utf8'))) }, { indentSeq: false })
  return manifest.replace(/^streams:\n.*(?=^spec:\n)/ms, () => streams)
}

function streamsOf({ paths, components }: Description): object[] {
  const resolve = (schema: Schema): Schema =>
    schema.$ref === undefined ? schema : (components.schemas[schema.$ref.split('/').at(-1) ?? ''] ?? schema)
  const typeOf = (schema: Schema) => {
    const types = (schema.anyOf ?? [schema]).flatMap((part) => resolve(part).type ?? [])
    return ['null', ...types.filter((type) => type !== 'null').map((type) => (type === 'integer' ? 'number' : type))]
  }
  const field = (schema: Schema) => ({ type: typeOf(schema), ...(schema.items && { items: { type: 'string' } }) })
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const { data, meta } = resolve(get.responses[200].content['application/json'].schema).properties ?? {}
    if (meta === undefined || path.includes('{id}')) return []
    const { properties = {} } = resolve(data?.items ?? {})
    const name = path.slice(1)
    return {
      type: 'DeclarativeStream',
      name,
      primary_key: 'id' in properties ? ['resource', 'id'].filter((key) => key in properties) : ['item_id'],
      retriever: { $ref: '#/definitions/retriever' },
      $parameters: { name },
      schema_loader: {
        type: 'InlineSchemaLoader',
        schema: {
          type: 'object',
          additionalProperties: true,
          properties: Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, field(schema)])),
        },
      },
    }
  })
}
