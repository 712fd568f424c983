import { readConfig } from '../../src/config/config.ts'
import { describeApi, type OpenApiDocument } from '../../src/docs/openapi/document.ts'
import { exampleAddresses } from '../../src/docs/openapi/information.ts'

/** The description as it is checked in. */
export function describedApi(): OpenApiDocument {
  return describeApi({ ...exampleAddresses, rateLimits: readConfig({}).rateLimits })
}

export type Described = {
  description?: string
  headers: Record<string, { $ref: string }>
  /** A response without a body has nothing here. */
  content?: Record<string, { schema: { $ref: string }; examples: Record<string, { value: unknown }> }>
}

export type DescribedParameter = {
  name: string
  in: string
  schema: object
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export type DescribedOperation = {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: (DescribedParameter | { $ref: string })[]
  responses: Record<string, Described | { $ref: string }>
}

/** The operation as the document has it. */
export function describedOperation(document: OpenApiDocument, path: string): DescribedOperation {
  return document.paths[path]?.get as DescribedOperation
}

/** Follows a reference inside the document; what is none is given back. */
export function resolve<Target>(document: OpenApiDocument, value: Target | { $ref: string }): Target {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as Target
  const found = value.$ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((place, key) => (place as Record<string, unknown>)[key], document)
  if (found === undefined) throw new Error(`${value.$ref} leads nowhere`)
  return found as Target
}

/** A response of an operation, by status; `default` when the status has none of its own. */
export function describedResponse(document: OpenApiDocument, path: string, status: number | string): Described {
  const { responses } = describedOperation(document, path)
  const response = responses[status] ?? responses.default
  if (response === undefined) throw new Error(`${path} has no response ${status}`)
  return resolve(document, response)
}

/** Every ISO 8601 date, with or without a time. A pattern cannot check which dates exist. */
const iso8601 = '^\\d{4}-?(?:\\d{2}-?\\d{2}|\\d{3}|W\\d{2}-?\\d)(?:[Tt].+)?$'
const utc = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'

/** The description as the service keeps to it today; the published one permits new fields
 * and other forms of timestamps. */
export function strictly(document: OpenApiDocument): OpenApiDocument {
  const strict = JSON.parse(JSON.stringify(document), (_key, value) => {
    if (value?.type === 'object' && value.properties !== undefined) return { ...value, additionalProperties: false }
    if (value?.format === 'date-time') return { ...value, pattern: utc }
    return value
  }) as OpenApiDocument & { components: { parameters: Record<string, { schema: object }> } }
  const { updated_since } = strict.components.parameters
  if (updated_since) updated_since.schema = { type: 'string', pattern: iso8601 }
  return strict
}
