import { z } from 'zod'
import type { Operation } from '../../../api/operation.ts'
import { allParameters } from '../../../api/operations.ts'
import { type Parameter, pathId } from '../../../api/parameters.ts'
import { schemaOf } from './schemas.ts'

/** Every query parameter as a component, and the header of a conditional request. */
export function parameterComponents(): Record<string, object> {
  const described = Object.entries(allParameters).map(([name, parameter]) => [name, queryParameter(name, parameter)])
  return Object.fromEntries([...described, [conditional.name, conditional]])
}

/**
 * Parameters whose values only an answer gives. Without an example: tools that make requests of the description (Bruno) would send
 * it as it is, and the `cursor` of another service is a 400. What they look like is in the headers that give them.
 */
const fromAnswers: readonly string[] = ['cursor']

/**
 * The header of a conditional request. The service accepts any text; one that is not a list of entity-tags matches nothing. The
 * pattern has \x22 for the quotation mark: some generators write patterns into string literals as they are.
 */
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
