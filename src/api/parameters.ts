import { z } from 'zod'
import { categories } from '../domain/vocabulary.ts'
import { longestTarget } from '../http/message.ts'
import { defaultPageSize, maximumPageSize, type ParameterName, parameterDefinitions } from '../http/parameters.ts'
import { id } from './fields.ts'
import { coverageState } from './items.ts'
import { maintenanceStatus } from './maintenance.ts'

/** How the reference shows a parameter. */
export type ParameterShape = {
  /** What a client may send; `readParameters` takes all of it. */
  schema: z.ZodType
  /** Values to try. */
  examples: readonly (string | number)[]
}

/** What every ISO 8601 date has, with or without a time behind it. Which of them exist is more than a pattern can say. */
const iso8601 = /^\d{4}-?(?:\d{2}-?\d{2}|\d{3}|W\d{2}-?\d)(?:[Tt].+)?$/

const uuidLength = 36

/** A page size within the maximum, and one beyond it that is capped. */
const pageSizes = [defaultPageSize, 2 * maximumPageSize]

/** The query parameters, by name. Their descriptions and defaults stand in `parameterDefinitions`. */
export const parameterShapes: Readonly<Record<ParameterName, ParameterShape>> = {
  page: { schema: z.int().min(1).default(parameterDefinitions.page.absent), examples: [1, 2] },
  per_page: { schema: z.int().min(1).default(parameterDefinitions.per_page.absent), examples: pageSizes },
  category: { schema: z.string().max(longestTarget), examples: categories },
  coverage_state: { schema: coverageState, examples: ['uninsured'] },
  updated_since: {
    schema: z.string().regex(iso8601).max(longestTarget),
    examples: ['2026-03-01T12:30:00Z', '2026-03-01T13:30:00+01:00', '2026-03-01'],
  },
  item_id: { schema: id.max(uuidLength), examples: ['fc1ed6e7-9331-473c-a1e0-9c12a2c716cd'] },
  status: { schema: maintenanceStatus, examples: ['scheduled'] },
}

/** The `{id}` of a path. */
export const pathId = {
  schema: id.max(uuidLength),
  description:
    'A UUID. One that is malformed, unknown, of another studio or (of an item) archived is answered with the same 404.',
}
