import { canonicalInstant } from '../domain/iso8601.ts'
import { isUuid } from '../domain/uuid.ts'
import { coverageStates, maintenanceStatuses } from '../domain/vocabulary.ts'

export const defaultPageSize = 50
export const maximumPageSize = 100

/** The query parameters of a request, by name. Null: not given. */
export type Parameters = {
  page: number
  per_page: number
  category: string | null
  coverage_state: (typeof coverageStates)[number] | null
  barcode: string | null
  serial_number: string | null
  updated_since: string | null
  cursor: string | null
  item_id: string | null
  status: (typeof maintenanceStatuses)[number] | null
}

export type ParameterName = keyof Parameters

/** One entry of `errors[]` in the body of a 400. */
export type ParameterError = { parameter: ParameterName; code: string; detail: string; allowed?: readonly string[] }

type Definition<Value> = {
  /** One English sentence for the people who read the reference. */
  description: string
  /** The value when the parameter is absent. */
  absent: Value
  /** The value, or undefined when the text is not one. */
  read(text: string): Exclude<Value, null> | undefined
  wrong: { code: string; detail: string; allowed?: readonly string[] }
}

const wrongCursor = {
  code: 'not_a_cursor',
  detail: 'cursor must be taken, unchanged, from the Link header of an answer to the same request.',
}

const digits = /^[0-9]+$/

/** Every query parameter of v1. The table of operations says which operation takes which. */
export const parameterDefinitions: { readonly [Name in ParameterName]: Definition<Parameters[Name]> } = {
  page: {
    description: 'Page number, from 1. A page past the end is empty.',
    absent: 1,
    read: (text) => positiveInteger(text, Number.MAX_SAFE_INTEGER),
    wrong: { code: 'not_a_positive_integer', detail: 'page must be a whole number of at least 1.' },
  },
  per_page: {
    description: `Page size, from 1. Values above ${maximumPageSize} are capped.`,
    absent: defaultPageSize,
    read: (text) => positiveInteger(text, maximumPageSize),
    wrong: { code: 'not_a_positive_integer', detail: 'per_page must be a whole number of at least 1.' },
  },
  category: {
    description: 'Exact, case-sensitive category. Any other text matches no item.',
    absent: null,
    read: matchedText,
    wrong: { code: 'not_a_category', detail: 'category must be text.' },
  },
  coverage_state: {
    description: 'Only items in this coverage state.',
    absent: null,
    read: (text) => coverageStates.find((state) => state === text),
    wrong: {
      code: 'not_allowed',
      detail: `coverage_state must be one of ${list(coverageStates)}.`,
      allowed: coverageStates,
    },
  },
  barcode: {
    description: 'Only items with exactly this barcode.',
    absent: null,
    read: recordedText,
    wrong: { code: 'empty', detail: 'barcode must not be empty; leave it out for all items.' },
  },
  serial_number: {
    description: 'Only items with exactly this serial number.',
    absent: null,
    read: recordedText,
    wrong: { code: 'empty', detail: 'serial_number must not be empty; leave it out for all items.' },
  },
  updated_since: {
    description:
      'Only what was updated (or removed) at or after this ISO 8601 timestamp. UTC without an offset, and a date alone is its midnight. ' +
      'To poll for changes, use the `Next-Updated-Since` of the poll before.',
    absent: null,
    read: (text) => canonicalInstant(text) ?? undefined,
    wrong: {
      code: 'not_a_timestamp',
      detail: 'updated_since must be an ISO 8601 timestamp, for example 2024-03-01T12:30:00Z.',
    },
  },
  cursor: {
    description:
      'Where the page begins, from the `Link` header of the page before it. Opaque, and good for the same request alone; it ' +
      'replaces `page`.',
    absent: null,
    read: (text) => (text === '' ? undefined : text),
    wrong: wrongCursor,
  },
  item_id: {
    description: 'Only the records of this item.',
    absent: null,
    read: (text) => readUuid(text) ?? undefined,
    wrong: { code: 'not_a_uuid', detail: 'item_id must be a UUID.' },
  },
  status: {
    description: 'Only records with this status.',
    absent: null,
    read: (text) => maintenanceStatuses.find((status) => status === text),
    wrong: {
      code: 'not_allowed',
      detail: `status must be one of ${list(maintenanceStatuses)}.`,
      allowed: maintenanceStatuses,
    },
  },
}

const names = Object.keys(parameterDefinitions) as ParameterName[]
const absent = Object.fromEntries(names.map((name) => [name, parameterDefinitions[name].absent])) as Parameters

/** What a query without any of the known parameters means. */
export const defaultParameters: Readonly<Parameters> = Object.freeze(absent)

/**
 * Reads the parameters that an operation takes from a query (the text after `?`, still encoded). Others are ignored. A parameter with
 * an empty value is given, and not absent: an error wherever empty is no value.
 *
 * Returns the names found (what a log may contain of a query), the values, and every error in the order of `known`; with errors the
 * values must not be used. Never throws.
 *
 * Serves: "values above 100 are silently capped to 100, not rejected", "any other value gives 400", "an invalid timestamp gives 400".
 */
export function readParameters(
  known: readonly ParameterName[],
  query: string,
): { given: ParameterName[]; values: Readonly<Parameters>; errors: ParameterError[] } {
  const given: ParameterName[] = []
  const errors: ParameterError[] = []
  if (query === '' || known.length === 0) return { given, values: defaultParameters, errors }
  const search = new URLSearchParams(query)
  const values = { ...defaultParameters }
  for (const name of known) {
    const [text, ...more] = search.getAll(name)
    if (text === undefined) continue
    given.push(name)
    if (more.length > 0)
      errors.push({ parameter: name, code: 'repeated', detail: `${name} must be given at most once.` })
    else if (!take(values, name, text)) errors.push({ parameter: name, ...parameterDefinitions[name].wrong })
  }
  return { given, values, errors }
}

/** What is wrong with a cursor that was altered, or is one of another question or studio. */
export const cursorError: ParameterError = { parameter: 'cursor', ...wrongCursor }

/** What is wrong with a cursor beside a page number. */
export const cursorWithPage: ParameterError = {
  parameter: 'cursor',
  code: 'not_with_page',
  detail: 'Give either cursor or page.',
}

/** The id in its usual form (8-4-4-4-12 hexadecimal digits), or null. PostgreSQL itself would also accept braces and missing hyphens. */
export function readUuid(text: string): string | null {
  return isUuid(text.toLowerCase()) ? text : null
}

function take<Name extends ParameterName>(values: Parameters, name: Name, text: string): boolean {
  const value: Parameters[Name] | undefined = parameterDefinitions[name].read(text)
  if (value === undefined) return false
  values[name] = value
  return true
}

/** PostgreSQL stores no NUL character, and no item has the empty category: both match nothing. */
function matchedText(text: string): string {
  return text.includes('\0') ? '' : text
}

/** The longest text that is found by an index, in bytes: no barcode and no serial number is nearly as long. */
const longestLookup = 1_000

/** Empty is how a text is shown that is not recorded: nothing to look for. One that is too long for the index is not found. */
function recordedText(text: string): string | undefined {
  if (text === '') return undefined
  return Buffer.byteLength(text) > longestLookup ? '' : matchedText(text)
}

function positiveInteger(text: string, max: number): number | undefined {
  if (!digits.test(text)) return undefined
  const number = Number(text)
  return number >= 1 ? Math.min(number, max) : undefined
}

function list(words: readonly string[]): string {
  return words.join(', ')
}
