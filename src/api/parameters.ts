import { z } from 'zod'
import { categories } from '../domain/vocabulary.ts'
import { defaultPageSize, maximumPageSize, type ParameterName, parameterDefinitions } from '../http/parameters.ts'
import { id } from './fields.ts'
import { coverageState } from './items.ts'
import { maintenanceStatus } from './maintenance.ts'

/** How the reference shows a parameter. */
export type ParameterShape = {
  /** What a client may send; `readParameters` accepts all of it. */
  schema: z.ZodType
  /** Values to try. */
  examples: readonly (string | number)[]
}

/** What a cursor looks like. Those that work are in `Link` headers. */
export const exampleCursor =
  'WzIsIjIwMjYtMDMtMDEgMjI6NDk6MzIuNCswMCIsIjNkNDUxYjhiLTMzYzYtNDgyNy04OWU1LTk3NjQyN2QxMDkyNCIsIlFtOXpDMHJFeDF5VHRXSmIyZFBwOGciXQ.7hVbq2mKx9ZrT4sLw0eYfA'

/** A page size within the maximum, and one beyond it that is capped. */
const pageSizes = [defaultPageSize, 2 * maximumPageSize]

/** The query parameters, by name. Their descriptions and defaults are in `parameterDefinitions`. */
export const parameterShapes: Readonly<Record<ParameterName, ParameterShape>> = {
  page: { schema: z.int().min(1).default(parameterDefinitions.page.absent), examples: [1, 2] },
  per_page: { schema: z.int().min(1).default(parameterDefinitions.per_page.absent), examples: pageSizes },
  category: { schema: z.string(), examples: categories },
  coverage_state: { schema: coverageState, examples: ['uninsured'] },
  barcode: { schema: z.string().min(1), examples: ['NL-1130'] },
  serial_number: { schema: z.string().min(1), examples: ['DW9971454'] },
  updated_since: {
    schema: z.iso.datetime({ offset: true }),
    examples: ['2026-03-01T12:30:00Z', '2026-03-01T13:30:00+01:00'],
  },
  cursor: {
    schema: z.string().regex(/^[\w-]+\.[\w-]+$/),
    examples: [exampleCursor],
  },
  item_id: { schema: id, examples: ['fc1ed6e7-9331-473c-a1e0-9c12a2c716cd'] },
  status: { schema: maintenanceStatus, examples: ['scheduled'] },
}

/** The `{id}` of a path. */
export const pathId = {
  schema: id,
  description:
    'A UUID. One that is malformed or unknown, or belongs to another studio, is answered with the same 404; so is the id of an archived item.',
}

/**
 * The header of a conditional request. The service accepts any text; one that is not a list of entity-tags matches nothing. The
 * pattern has \x22 for the quotation mark: some generators write patterns into string literals as they are.
 */
export const ifNoneMatch = {
  schema: z.string().regex(/^(?:\*|(?:W\/)?\x22[^\x22]*\x22(?:, *(?:W\/)?\x22[^\x22]*\x22)*)$/),
  description:
    'The `ETag` of an earlier answer to the same request: the answer is 304, without a body, while it is current.',
}
