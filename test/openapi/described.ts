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
  /** Nothing: a response without a body. */
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
