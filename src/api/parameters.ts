import { z } from 'zod'
import { canonicalInstant, isCalendarDay } from '../domain/dates.ts'
import { cleanText, isUuid } from '../domain/text.ts'
import type { ParameterError } from '../http/problems.ts'
import { date, defaultPageSize, id, maximumPageSize } from './fields.ts'

/** A query parameter. The schema documents its values and default, and parses the text. */
export type Parameter = {
  schema: z.ZodType
  description: string
  examples: readonly (string | number)[]
  /** Parses the text instead of the schema, and accepts more; undefined for other text. */
  read?: (text: string) => string | number | undefined
  /** The error. Without it the schema is an enumeration, and the error lists its values. */
  wrong?: { code: string; detail: string; allowed?: readonly string[] }
  /** Another parameter that it excludes. */
  notWith?: string
}

/** A parameter that narrows a list. */
export type Filter = Parameter & Condition

/** How a list is narrowed. */
export type Condition = {
  /** A condition on a row `r` of the list's view; `$` is the value. By default the column of the
   * filter's name equals the value. Rules are functions of `service`, which PostgreSQL inlines. */
  condition?: string
  /** The filter whose value this one compares, in its place, while its own value is `true`. */
  widens?: string
  /** Whether few records match. Queries then use this filter's index. */
  isSelective?: boolean
}

type Value = string | number | null

/** The values of a query by parameter. Null: not given. */
export type Values = Readonly<Record<string, Value>>

const positive = (name: string, maximum: number) => ({
  read: (text: string) => (/^[0-9]*[1-9][0-9]*$/.test(text) ? Math.min(Number(text), maximum) : undefined),
  wrong: { code: 'not_a_positive_integer', detail: `${name} must be a whole number of at least 1.` },
})

export const page: Parameter = {
  schema: z.int().min(1).default(1),
  description: 'Page number, from 1. A page past the end is empty.',
  examples: [1, 2],
  ...positive('page', Number.MAX_SAFE_INTEGER),
}

export const perPage: Parameter = {
  schema: z.int().min(1).default(defaultPageSize),
  description: `Page size, from 1. Values above ${maximumPageSize} are capped.`,
  examples: [defaultPageSize, 2 * maximumPageSize],
  ...positive('per_page', maximumPageSize),
}

export const updatedSince: Parameter = {
  schema: z.iso.datetime({ offset: true }),
  description:
    'Only records updated (or removed) at or after this ISO 8601 timestamp. Without an offset it is UTC; a date alone means midnight. ' +
    'To poll for changes, use the `Next-Updated-Since` of the previous poll.',
  examples: ['2026-03-01T12:30:00Z', '2026-03-01T13:30:00+01:00'],
  read: (text) => canonicalInstant(text) ?? undefined,
  wrong: {
    code: 'not_a_timestamp',
    detail: 'updated_since must be an ISO 8601 timestamp, with T between day and time: 2024-03-01T12:30:00Z.',
  },
}

/** The form of a cursor. `Link` headers have working ones. */
export const exampleCursor =
  'WzIsIjIwMjYtMDMtMDEgMjI6NDk6MzIuNCswMCIsIjNkNDUxYjhiLTMzYzYtNDgyNy04OWU1LTk3NjQyN2QxMDkyNCIsIlFtOXpDMHJFeDF5VHRXSmIyZFBwOGciXQ.7hVbq2mKx9ZrT4sLw0eYfA'

const wrongCursor = {
  code: 'not_a_cursor',
  detail: 'cursor must come, unchanged, from the Link header of a response to the same request.',
}

export const cursor: Parameter = {
  schema: z.string().regex(/^[\w-]+\.[\w-]+$/),
  description:
    'Where the page begins, from the `Link` header of the previous page. Opaque, and valid only for the same request; it ' +
    'replaces `page`.',
  examples: [exampleCursor],
  wrong: wrongCursor,
  notWith: 'page',
}

export const cursorError: ParameterError = { parameter: 'cursor', ...wrongCursor }

/** PostgreSQL stores no NUL, so a text with one must match nothing, like the empty text. */
export const storable = (text: string) => (text.includes('\0') ? '' : text)

/** Cleans what somebody searches for as the import cleans what it stores; undefined for nothing. */
export function searchText(text: string): string | undefined {
  return text.includes('\0') ? '' : cleanText(text) || undefined
}

/** Filters by the exact text of a column. An empty value, which matches nothing, is an error. */
export const exactText = (name: string, words: string, example: string, records: string): Filter => ({
  schema: z.string().min(1),
  description: `Only ${records} with exactly this ${words}.`,
  examples: [example],
  read: searchText,
  wrong: { code: 'empty', detail: `${name} must not be empty; leave it out for all ${records}.` },
  condition: `service.is_exactly(r.${name}, $)`,
  isSelective: true,
})

export const day = (name: string, description: string): Parameter => ({
  schema: date,
  description,
  examples: ['2026-01-31'],
  read: (text) => (isCalendarDay(text) ? text : undefined),
  wrong: { code: 'not_a_date', detail: `${name} must be a date, for example 2026-01-31.` },
})

export const pathId = {
  schema: id,
  description:
    'A UUID. A malformed or unknown id, the id of an archived item and an id of another studio get the same 404.',
}

/** A UUID as given, or null. PostgreSQL would also accept braces and missing hyphens. */
export function readUuid(text: unknown): string | null {
  return typeof text === 'string' && isUuid(text.toLowerCase()) ? text : null
}

/** Reads the parameters of a query (the text after `?`). An empty value counts as given. Do not
 * use the values if there are errors. `ignored` names the parameters that the operation lacks.
 * Serves: "values above 100 are silently capped to 100, not rejected", "any other value gives
 * 400", "an invalid timestamp gives 400". */
export function readParameters(parameters: Readonly<Record<string, Parameter>>, query: string) {
  const search = query === '' ? undefined : new URLSearchParams(query)
  const given: string[] = []
  const errors: ParameterError[] = []
  const values: Record<string, Value> = {}
  const unknown = new Set<string>()
  for (const name of search?.keys() ?? []) if (name !== '' && !Object.hasOwn(parameters, name)) unknown.add(name)
  for (const name in parameters) {
    const parameter = parameters[name] as Parameter
    const text = search?.get(name) ?? undefined
    if (text === undefined) {
      values[name] = defaultOf(parameter)
      continue
    }
    given.push(name)
    const value = parse(parameter, text)
    values[name] = value ?? null
    if (search && search.getAll(name).length > 1) {
      errors.push({ parameter: name, code: 'repeated', detail: `${name} must be given at most once.` })
    } else if (value === undefined) errors.push({ parameter: name, ...wrongValue(name, parameter) })
  }
  for (const name of given) {
    const { notWith } = parameters[name] as Parameter
    if (notWith && given.includes(notWith)) {
      errors.push({ parameter: name, code: `not_with_${notWith}`, detail: `Give either ${name} or ${notWith}.` })
    }
  }
  return { given, values: values as Values, errors, ignored: [...unknown].slice(0, maximumIgnored).map(shownName) }
}

/** The most unknown parameters that an error names. */
const maximumIgnored = 10

/** A name that is safe in a header and a log. A long one may be a token. */
function shownName(name: string): string {
  const short = name.length > 32 ? `${name.slice(0, 8)}...` : name
  return encodeURIComponent(short.toWellFormed()).replace(/%(5B|5D)/g, (_, code) => (code === '5B' ? '[' : ']'))
}

/** Only a schema with a default has this member. */
function defaultOf({ schema }: Parameter): Value {
  return ((schema as z.ZodDefault).def.defaultValue as Value | undefined) ?? null
}

function parse({ schema, read }: Parameter, text: string): Value | undefined {
  return read === undefined ? (schema.safeParse(text).data as Value | undefined) : read(text)
}

function wrongValue(name: string, { schema, wrong }: Parameter): Omit<ParameterError, 'parameter'> {
  if (wrong !== undefined) return wrong
  const allowed = schema instanceof z.ZodEnum ? schema.options.map(String) : []
  return { code: 'not_allowed', detail: `${name} must be one of ${allowed.join(', ')}.`, allowed }
}
