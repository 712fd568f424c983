import type { Operation } from '../../../../api/operation.ts'
import type { OpenApiDocument } from '../../openapi/document.ts'
import type { JsonSchema } from '../../openapi/schemas.ts'

/** A parameter as the description has it. */
export type DescribedParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description: string
  schema: JsonSchema
  example?: unknown
  examples?: Readonly<Record<string, { value: unknown }>>
}

/** A response as the description has it. */
export type DescribedResponse = {
  description: string
  headers?: Readonly<Record<string, unknown>>
  content?: Readonly<
    Record<string, { schema: JsonSchema; examples: Readonly<Record<string, { summary: string; value: unknown }>> }>
  >
}

/** An operation as the description has it, every reference followed. */
export type DescribedOperation = {
  id: string
  /** The name of its section and of what is in it. */
  path: string
  /** Without the full stop: a heading. */
  title: string
  description: string
  parameters: readonly DescribedParameter[]
  responses: readonly (readonly [status: string, response: DescribedResponse])[]
  examples: Operation['examples']
}

/** Follows a reference within the description; what is none is given back. */
export function resolve<Target>(document: OpenApiDocument, value: unknown): Target {
  const { $ref } = Object(value) as { $ref?: string }
  if ($ref === undefined) return value as Target
  const keys = $ref.replace(/^#\//, '').split('/')
  const found = keys.reduce<unknown>((place, key) => Reflect.get(Object(place), key), document)
  if (found === undefined) throw new Error(`${$ref} leads nowhere`)
  return found as Target
}

/** Reads an operation out of the description. */
export function describedOperation(document: OpenApiDocument, operation: Operation): DescribedOperation {
  const { path, id, examples } = operation
  const described = document.paths[path]?.get as {
    summary: string
    description: string
    parameters: unknown[]
    responses: Record<string, unknown>
  }
  return {
    id,
    path,
    title: described.summary.replace(/\.$/, ''),
    description: described.description,
    parameters: described.parameters.map((parameter) => resolve<DescribedParameter>(document, parameter)),
    responses: Object.entries(described.responses).map(([status, response]) => [
      status,
      resolve<DescribedResponse>(document, response),
    ]),
    examples,
  }
}

/** The answer of success, which every operation has. */
export function successOf({ id, responses }: DescribedOperation): DescribedResponse {
  const [, response] = responses.find(([status]) => status === '200') ?? []
  if (response === undefined) throw new Error(`${id} has no answer of success`)
  return response
}
