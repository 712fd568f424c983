import type { z } from 'zod'
import { type Condition, cursor, type Filter, type Parameter, page, perPage, updatedSince } from './parameters.ts'

/** An operation. Routes, statements, reference, MCP's tools and contract tests follow from it. */
export type Operation = {
  /** The name in the reference. The function of a single resource in `api_v1` has the same name. */
  id: string
  /** Below `/v1`; `{id}` is a UUID. */
  path: string
  summary: string
  /** The reference shows this text, in Markdown, below the description. */
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
  /** Whether it computes something of every item of the studio. Such statements have their own pool. */
  ofAllItems?: true
}

/** How to read a list. A filter's condition is stated once, for the page and the total. */
export type ListSource<By extends Condition = Condition> = {
  /** A view in `service` with `id`, `document` (JSON text) and the columns named here. */
  view: string
  /** The order; by default by `updated_at`, the newest first. */
  order?: Order
  /** The orders that the value `order` names. */
  orders?: Readonly<Record<string, Order>>
  /** The column for `updated_since`; by default `updated_at`. */
  changedAt?: string
  filters: Readonly<Record<string, By>>
  /** The filters whose records no index of their own finds, and the view that is searched for them:
   * one index has all that they compare, and is read for all records of the studio. */
  search?: { view: string; by: readonly string[] }
  /** The column with the id in the path, and the view that has it; otherwise 404. */
  within?: { column: string; view: string }
  /** Parameters that are no filters. */
  options?: Readonly<Record<string, Parameter>>
  /** A view with counts of records by values of some filters, to be summed; `*` is any value. */
  counters?: { view: string; sum: string; by: readonly string[] }
  /** The list in its place while the parameter `on` is given: `$` in its views is the day. They
   * are functions, of which one is evaluated, once. */
  otherwise?: ListSource
  ofAllItems?: true
  /** Joins `d` with the document of a key `k`, if the view has none. */
  documents?: string
  /** An SQL expression: an earlier `updated_since` gets 410, as the list would be incomplete. */
  completeSince?: string
}

/** Sorts by a column, then by id. */
export type Order = {
  by: string
  direction: 'asc' | 'desc' | 'desc nulls last'
  /** The type of the column if an index has this order and no null: pages then begin at a key. */
  key?: 'timestamptz' | 'date' | 'uuid'
}

type Described = Omit<Operation, 'envelope' | 'parameters' | 'list'>

export function listOperation({ list, ...described }: Described & { list: ListSource<Filter> }) {
  const parameters = { page, per_page: perPage, ...list.filters, ...list.options, updated_since: updatedSince, cursor }
  return { ...described, envelope: 'list', list, parameters } satisfies Operation
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
