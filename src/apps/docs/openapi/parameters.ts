import { type Operation, parametersOf as queryParametersOf } from '../../../api/operation.ts'
import { ifNoneMatch, parameterShapes, pathId } from '../../../api/parameters.ts'
import { type ParameterName, parameterDefinitions } from '../../../http/parameters.ts'
import { schemaOf } from './schemas.ts'

/** Every query parameter as a component, and the header of a conditional request. */
export function parameterComponents(): Record<string, object> {
  const names = Object.keys(parameterDefinitions) as ParameterName[]
  return Object.fromEntries([...names.map((name) => [name, queryParameter(name)]), [conditional.name, conditional]])
}

/**
 * Parameters whose values only an answer gives. Without an example: tools that make requests of the description (Bruno) would send
 * it as it is, and the `cursor` of another service is a 400. What they look like is in the headers that give them.
 */
const fromAnswers: readonly ParameterName[] = ['cursor']

const conditional = {
  name: 'If-None-Match',
  in: 'header',
  description: ifNoneMatch.description,
  schema: schemaOf(ifNoneMatch.schema),
}

function queryParameter(name: ParameterName): object {
  const { schema, examples } = parameterShapes[name]
  return {
    name,
    in: 'query',
    description: parameterDefinitions[name].description,
    schema: schemaOf(schema),
    ...(!fromAnswers.includes(name) && {
      examples: Object.fromEntries(examples.map((value) => [String(value), { value }])),
    }),
  }
}

/** The parameters of an operation: the id of its path, references to those of its query, and to `If-None-Match`. */
export function parametersOf(operation: Operation): object[] {
  const { path, examples } = operation
  const names = [...queryParametersOf(operation), ...(isConditional(operation) ? [conditional.name] : [])]
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
