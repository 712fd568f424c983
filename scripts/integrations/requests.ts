import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export const project = join(import.meta.dirname, '../..')

/** Everything in this folder is made from this description. */
export const descriptionFile = join(project, 'docs/openapi.yaml')

type Parameter = {
  name: string
  in: 'query' | 'path' | 'header'
  description: string
  example?: unknown
  examples?: Record<string, { value: unknown }>
}
type Reference = { $ref: string }
type DescribedOperation = {
  summary: string
  description: string
  tags: string[]
  parameters?: (Parameter | Reference)[]
}
type Description = {
  info: { title: string; summary: string }
  paths: Record<string, { get: DescribedOperation }>
  components: { parameters: Record<string, Parameter> }
}

/** A query parameter, ready to be switched on: `value` is an example of the description, or the name of a variable. */
export type Query = { name: string; value: string; description: string; enabled: boolean }

/** A request of a collection. `id` is the variable that its path takes its id from; null without one. */
export type CollectionRequest = {
  name: string
  path: string
  folder: string
  description: string
  id: 'item_id' | 'policy_id' | null
  query: Query[]
}

export type Collection = { title: string; summary: string; requests: CollectionRequest[] }

/** Lists whose first record is the one that requests by id ask for, and the variable that keeps its id. */
export const firstOf = { '/items': 'item_id', '/policies': 'policy_id' } as const

/** A studio has its own values for these, so they are variables and not examples. */
const variables = ['updated_since', 'item_id']
/** Nobody types these: the tools send them, or the service gives them. */
const untyped = ['cursor', 'If-None-Match']

/** The nine requests of the description, lists before the requests that need one of their ids. */
export function readCollection(): Collection {
  const { info, paths, components }: Description = parse(readFileSync(descriptionFile, 'utf8'))
  const parameterOf = (given: Parameter | Reference): Parameter => {
    const found = '$ref' in given ? components.parameters[given.$ref.split('/').at(-1) ?? ''] : given
    if (found === undefined) throw new Error(`no such parameter: ${JSON.stringify(given)}`)
    return found
  }
  const requests = Object.entries(paths).map(([path, { get }]) => ({
    name: get.summary.replace(/\.$/, '').replaceAll(/[^\w\s,-]/g, ''),
    path,
    folder: get.tags[0] ?? '',
    description: get.description.trim(),
    id: path.includes('{id}') ? idOf(path) : null,
    query: (get.parameters ?? [])
      .map(parameterOf)
      .filter((parameter) => parameter.in === 'query' && !untyped.includes(parameter.name))
      .map((parameter) => queryOf(parameter, path)),
  }))
  return { title: info.title, summary: info.summary, requests }
}

const idOf = (path: string): CollectionRequest['id'] => (path.startsWith('/policies') ? 'policy_id' : 'item_id')

function queryOf({ name, description, example, examples = {} }: Parameter, path: string): Query {
  const value = variables.includes(name) ? `{{${name}}}` : String(example ?? Object.values(examples)[0]?.value ?? '')
  return { name, value, description, enabled: path === '/removals' && name === 'updated_since' }
}
