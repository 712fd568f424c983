import type { z } from 'zod'
import { cursor, type Filter, type Parameter, page, perPage, updatedSince } from './parameters.ts'

/** An operation. Routes, statements, reference, MCP's tools and contract tests follow from it. */
export type Operation = {
  /** Its name in the reference. A single resource's also names its function in `api_v1`. */
  id: string
  /** Below `/v1`; `{id}` is a UUID. */
  path: string
  summary: string
  /** More for readers of the reference, in Markdown. */
  description: string
  /** What its MCP tool is for, with questions that people ask an assistant. */
  purpose: string
  tag: TagName
  /** Requests to the demo studio, below `/v1`. `examples/<id>.json` has their answers. */
  examples: Readonly<Record<string, { summary: string; request: string }>>
  /** `list` has paging; `array` is the single-resource envelope around an array. */
  envelope: 'list' | 'single' | 'array'
  schema: z.ZodType
  /** The query parameters by name. The API ignores others. */
  parameters: Readonly<Record<string, Parameter>>
  list?: ListSource
  /** Whether answers have signed photo URLs. */
  photos?: true
}

/** How to read a list. A filter's condition is stated once, for the page and the total. */
export type ListSource = {
  /** A view in `service` with `id`, `document` (JSON text) and the columns named here. */
  view: string
  /** The column to sort by, newest first, then by id. */
  orderBy: string
  orderType: 'timestamptz' | 'date' | 'uuid'
  /** The column for `updated_since`. */
  changedAt: string
  filters: Readonly<Record<string, Filter>>
  /** The column with the id in the path, and the view that has it; otherwise 404. */
  within?: { column: string; view: string }
  /** Parameters that change what a filter does. */
  options?: Readonly<Record<string, Parameter>>
  /** A view with counts of records by values of some filters, to be summed; `*` is any value. */
  counters?: { view: string; sum: string; by: readonly string[] }
  /** A function in `api_v1` that answers in place of the view when this parameter is given. */
  otherwise?: { parameter: string; name: string }
  /** An SQL expression: an earlier `updated_since` gets 410, as the list would be incomplete. */
  completeSince?: string
}

type Described = Omit<Operation, 'envelope' | 'parameters' | 'list'>

export function listOperation({ list, ...described }: Described & { list: ListSource }): Operation {
  const parameters = { page, per_page: perPage, ...list.filters, ...list.options, updated_since: updatedSince, cursor }
  return { ...described, envelope: 'list', list, parameters }
}

export function resourceOperation(
  described: Described & Partial<Pick<Operation, 'parameters'>> & { envelope?: 'array' },
): Operation {
  return { envelope: 'single', parameters: {}, ...described }
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
