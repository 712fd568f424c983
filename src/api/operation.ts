import type { z } from 'zod'
import type { ParameterName, Parameters } from '../http/parameters.ts'

/** What a request asks of the database: the query's parameters, and the id of the path. Null: none, or not a UUID. */
export type Question = Readonly<Parameters> & { readonly id: string | null }

/** One operation of the API. Routes, the contract tests and the reference are made from this table. */
export type Operation = {
  /** Name of the operation and of its function in the schema `api_v1`. */
  id: string
  method: 'GET'
  /** Below `/v1`; `{id}` stands for a UUID. */
  path: string
  summary: string
  /** What a reader of the reference should know besides. Markdown. */
  description: string
  tag: TagName
  /** Requests to the demo studio, below `/v1`. Their answers stand in `examples/<id>.json`, by the same names. */
  examples: Readonly<Record<string, { summary: string; request: string }>>
  /** What of the question the function takes, by the names of its parameters, with their types. Query parameters not named are ignored. */
  arguments: Arguments
  /** `list` has paging; `array` is the single-resource envelope around an array. */
  envelope: 'list' | 'single' | 'array'
  /** The whole body of a 200. */
  schema: z.ZodType
  /** Whether signed photo URLs are added to the resource; its function takes no validator. */
  photos?: true
  /** Whether the function takes a keyset cursor, after which a deep page begins. */
  keyset?: true
}

/** The type of each argument in PostgreSQL. */
export type Arguments = Readonly<Partial<Record<keyof Question, ArgumentType>>>

export type ArgumentType = 'bigint' | 'integer' | 'text' | 'timestamptz' | 'uuid'

/** The query parameters that an operation knows. */
export function parametersOf({ arguments: types }: Pick<Operation, 'arguments'>): ParameterName[] {
  return namesOf(types).filter((name) => name !== 'id')
}

/** The values of a question for these arguments, in their order. */
export function valuesOf(types: Arguments, question: Question): unknown[] {
  return namesOf(types).map((name) => question[name])
}

function namesOf(types: Arguments): (keyof Question)[] {
  return Object.keys(types) as (keyof Question)[]
}

/** The groups of the reference, in its order. */
export const tags = {
  Items:
    'Equipment with its valuation, photos and the policies it is declared under. Archived items are never returned.',
  Locations: 'Where equipment is kept.',
  Maintenance: 'Work on equipment, scheduled and completed.',
  Policies: 'Insurance policies.',
  Account: 'The studio that the token reads.',
} as const

export type TagName = keyof typeof tags
