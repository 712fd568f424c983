import type { z } from 'zod'
import type { ParameterName, Parameters } from '../http/parameters.ts'

/** The input of a request: the query's parameters, and the id of the path. Null: none, or not a UUID. */
export type Question = Readonly<Parameters> & { readonly id: string | null }

/** One operation of the API. Routes, the contract tests and the reference are made from this table. */
export type Operation = {
  /** Name of the operation and of its function in the schema `api_v1`. */
  id: string
  method: 'GET'
  /** Below `/v1`; `{id}` stands for a UUID. */
  path: string
  summary: string
  /** Further information for readers of the reference. Markdown. */
  description: string
  tag: TagName
  /** Requests to the demo studio, below `/v1`. Their answers are in `examples/<id>.json`, by the same names. */
  examples: Readonly<Record<string, { summary: string; request: string }>>
  /** The function's parameters, by name, with their types. Query parameters not named are ignored. */
  arguments: Arguments
  /** `list` has paging; `array` is the single-resource envelope around an array. */
  envelope: 'list' | 'single' | 'array'
  /** The whole body of a 200. */
  schema: z.ZodType
  /** Whether signed photo URLs are added to the resource. */
  photos?: true
  /** Of lists: the type of what they are ordered by, which with the id is the key of a record's place in the list. */
  key?: 'timestamptz' | 'date'
}

/** The type of each argument in PostgreSQL. */
export type Arguments = Readonly<Partial<Record<Exclude<keyof Question, 'cursor'>, ArgumentType>>>

export type ArgumentType = 'bigint' | 'date' | 'integer' | 'text' | 'timestamptz' | 'uuid'

type Takes = Pick<Operation, 'arguments' | 'key'>

/** The query parameters that an operation takes. */
export const parametersOf = memoized(({ arguments: types, key }: Takes): readonly ParameterName[] => {
  const names = namesOf(types).filter((name) => name !== 'id')
  return key === undefined ? names : [...names, 'cursor']
})

/** The values of a question for these arguments, in their order. */
export function valuesOf(types: Arguments, question: Question): unknown[] {
  return namesOf(types).map((name) => question[name])
}

const namesOf = memoized((types: Arguments) => Object.keys(types) as readonly (keyof Arguments)[])

/** Remembers what a function makes of an object: it is asked with every request. */
function memoized<Given extends object, Made>(make: (given: Given) => Made): (given: Given) => Made {
  const made = new WeakMap<Given, Made>()
  return (given) => {
    const known = made.get(given)
    if (known !== undefined) return known
    const fresh = make(given)
    made.set(given, fresh)
    return fresh
  }
}

/** The groups of the reference, in its order. */
export const tags = {
  Items:
    'Equipment with its valuation, photos and the policies it is declared under. Archived items are never returned.',
  Locations: 'Where equipment is kept.',
  Maintenance: 'Work on equipment, scheduled and completed.',
  Policies: 'Insurance policies.',
  Sync: 'What a copy of the data needs besides the lists.',
  Account: 'The studio that the token reads.',
} as const

export type TagName = keyof typeof tags
