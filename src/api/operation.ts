import type { z } from 'zod'
import type { Statement } from '../database/statement.ts'
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
  /** The query parameters it knows; others are ignored. */
  parameters: readonly ParameterName[]
  statement: Statement
  /** The same for several requests at once: takes an array of each value, returns an answer for each, in their order. */
  together: Statement
  /** What follows the token's digest in the statement's values, in its order. */
  values(question: Question): readonly unknown[]
  /** `list` has paging; `array` is the single-resource envelope around an array. */
  envelope: 'list' | 'single' | 'array'
  /** The whole body of a 200. */
  schema: z.ZodType
  /** Whether signed photo URLs are added to the resource; its statement takes no known version. */
  photos?: true
  /** Whether the statement takes an anchor after the known version, from which a deep page begins. */
  anchored?: true
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
