import { z } from 'zod'

/** Schemas with a name in the API's description. */
export const components = z.registry<{ id: string }>()

/** The records of a page, unless a request says otherwise, and at most. */
export const defaultPageSize = 50
export const maximumPageSize = 100

/** Field types: "ids are UUIDs; dates are ISO 8601 dates; … money amounts are JSON numbers." */

export const id = z.guid()
export const date = z.iso.date()
/** UTC with three decimals and `Z`. */
export const timestamp = z.iso.datetime({ precision: 3 })
export const text = z.string()
export const count = z.int().min(0)

/** An amount of money with its currency's decimals. A binary floating-point number may change
 * them, so every description says how to read it. */
export const money = (description: string) =>
  z.number().describe(`${description} In the currency of the account, with its decimals: read it as a decimal number.`)

/** Clients can poll for every record that has these times. */
export const recordTimes = {
  created_at: timestamp.describe('When the record was created.'),
  updated_at: timestamp.describe(
    'When anything shown of the record last changed, here or in its detail. Strictly increases: poll with `updated_since`.',
  ),
}

/** The `_meta` block of every response, errors included. */
export const responseMeta = z
  .strictObject({
    disclaimers: z.array(z.string()).length(2).describe('Plain-text disclaimers.'),
    documentation_url: z.url().describe('Deep link to the adequacy-disclaimer section of the interactive reference.'),
  })
  .describe('Part of every response, errors included.')
  .register(components, { id: 'ResponseMeta' })

export const listMeta = z
  .strictObject({
    page: z.int().min(1).describe('Current page number.'),
    per_page: z.int().min(1).max(maximumPageSize).describe('Effective page size.'),
    total: count.describe('Total number of matching records.'),
    next_page: z.int().min(2).nullable().describe('Next page number; null on the last page.'),
  })
  .describe('Position of a page in the list.')
  .register(components, { id: 'Paging' })

/** The list envelope around elements of a schema. `id` is its name in the description. */
export function listOf<Element extends z.ZodType>(id: string, element: Element) {
  const data = z.array(element).max(maximumPageSize).describe('The page of results.')
  return z
    .strictObject({ data, meta: listMeta, _meta: responseMeta })
    .describe('List envelope: a page of results, its position in the list, and the disclaimers.')
    .register(components, { id })
}

/** The single-resource envelope. `GET /items/{id}/policies` uses it with an array. */
export function singleOf<Resource extends z.ZodType>(id: string, resource: Resource) {
  return z
    .strictObject({ data: resource, _meta: responseMeta })
    .describe('Single-resource envelope: the resource and the disclaimers, without paging.')
    .register(components, { id })
}
