import type { z } from 'zod'
import { cursor, type Filter, type Parameter, page, perPage, updatedSince } from './parameters.ts'

/** One operation of the API. Routes, statements, the reference, the tools of MCP and the contract tests are made from it. */
export type Operation = {
  /** Its name in the reference; of a single resource also the function in the schema `api_v1` that reads it. */
  id: string
  /** Below `/v1`; `{id}` stands for a UUID. */
  path: string
  summary: string
  /** Further information for readers of the reference. Markdown. */
  description: string
  tag: TagName
  /** Requests to the demo studio, below `/v1`. Their answers are in `examples/<id>.json`, by the same names. */
  examples: Readonly<Record<string, { summary: string; request: string }>>
  /** `list` has paging; `array` is the single-resource envelope around an array. */
  envelope: 'list' | 'single' | 'array'
  /** The whole body of a 200. */
  schema: z.ZodType
  /** The query parameters by name. Others are ignored. */
  parameters: Readonly<Record<string, Parameter>>
  /** How a list is read. */
  list?: ListSource
  /** Whether signed photo URLs are added to the resource. */
  photos?: true
}

/** How a list is read. A filter's condition is the only place that says what the filter does: page and total use it. */
export type ListSource = {
  /** A view of the schema `service` with the columns `id`, `document` (JSON text) and those named here. */
  view: string
  /** Newest first by this column, then by id. */
  orderBy: string
  orderType: 'timestamptz' | 'date'
  /** The column that `updated_since` is compared with. */
  changedAt: string
  filters: Readonly<Record<string, Filter>>
  /** A view with the numbers of records, in parts to be summed, by the values of some filters; `*` is any value. */
  counters?: { view: string; sum: string; by: readonly string[] }
  /** An SQL expression: the answer to an earlier `updated_since` would be incomplete, and is 410. */
  completeSince?: string
}

type Described = Omit<Operation, 'envelope' | 'parameters' | 'list'>

export function listOperation({ list, ...described }: Described & { list: ListSource }): Operation {
  const parameters = { page, per_page: perPage, ...list.filters, updated_since: updatedSince, cursor }
  return { ...described, envelope: 'list', list, parameters }
}

export function resourceOperation(described: Described & { envelope?: 'array' }): Operation {
  return { envelope: 'single', ...described, parameters: {} }
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
