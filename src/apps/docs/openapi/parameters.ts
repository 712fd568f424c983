import { type Operation, parametersOf as queryParametersOf } from '../../../api/operation.ts'
import { parameterShapes, pathId } from '../../../api/parameters.ts'
import { type ParameterName, parameterDefinitions } from '../../../http/parameters.ts'
import { schemaOf } from './schemas.ts'

/** Every query parameter as a component. */
export function parameterComponents(): Record<string, object> {
  const names = Object.keys(parameterDefinitions) as ParameterName[]
  return Object.fromEntries(names.map((name) => [name, queryParameter(name)]))
}

function queryParameter(name: ParameterName): object {
  const { schema, examples } = parameterShapes[name]
  return {
    name,
    in: 'query',
    description: parameterDefinitions[name].description,
    schema: schemaOf(schema),
    examples: Object.fromEntries(examples.map((value) => [String(value), { value }])),
  }
}

/** The parameters of an operation: the id of its path, and references to those of its query. */
export function parametersOf(operation: Operation): object[] {
  const { path, examples } = operation
  const query = queryParametersOf(operation).map((name) => ({ $ref: `#/components/parameters/${name}` }))
  if (!path.includes('{id}')) return query
  const { description, schema } = pathId
  const example = idOf(path, Object.values(examples)[0]?.request ?? '')
  return [{ name: 'id', in: 'path', required: true, description, schema: schemaOf(schema), example }, ...query]
}

/** The segment of a request that stands where its path says `{id}`. */
function idOf(path: string, request: string): string | undefined {
  return request.split('/')[path.split('/').indexOf('{id}')]
}
