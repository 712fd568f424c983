/**
 * The envelopes, written around JSON that PostgreSQL made. The text inside is never parsed here.
 */

export const disclaimers = [
  'coverage_state and gap_amount reflect valuation status and not insurance adequacy.',
  'market_value_estimate is derived from third-party market data and is no guarantee of resale value.',
]

/**
 * The `_meta` object as JSON text.
 *
 * Serves: "`_meta.disclaimers` appears on every response"; "deep link to the adequacy-disclaimer section of the interactive reference".
 */
export function metaText(docsUrl: string): string {
  return JSON.stringify({ disclaimers, documentation_url: `${docsUrl}#adequacy-disclaimer` })
}

/**
 * The list envelope: `data`, `meta`, `_meta`.
 *
 * @param elements the elements joined by commas, without brackets; empty for none
 * @param total how many records match on all pages
 * @param meta the `_meta` object as JSON text
 */
export function listEnvelope(elements: string, page: number, perPage: number, total: number, meta: string): string {
  const nextPage = page * perPage < total ? page + 1 : null
  return `{"data":[${elements}],"meta":{"page":${page},"per_page":${perPage},"total":${total},"next_page":${nextPage}},"_meta":${meta}}`
}

/** The single-resource envelope: `data`, `_meta`. `resource` is an object or an array, brackets included. */
export function singleEnvelope(resource: string, meta: string): string {
  return `{"data":${resource},"_meta":${meta}}`
}
