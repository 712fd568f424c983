export const disclaimers = [
  'coverage_state and gap_amount reflect valuation status and not insurance adequacy.',
  'market_value_estimate is derived from third-party market data and is no guarantee of resale value.',
]

/** The `_meta` object as JSON text.
 * Serves: "`_meta.disclaimers` appears on every response"; "deep link to the
 * adequacy-disclaimer section of the interactive reference". */
export function metaText(docsUrl: string): string {
  return JSON.stringify({ disclaimers, documentation_url: `${docsUrl}#adequacy-disclaimer` })
}

/** A page of a list: its elements as JSON joined by commas, and the total of all pages. */
type Page = { elements: string; page: number; perPage: number; total: number }

/** Writes the list envelope around PostgreSQL's JSON; `meta` is the `_meta` object as JSON text. */
export function listEnvelope({ elements, page, perPage, total }: Page, meta: string): string {
  const nextPage = page * perPage < total ? page + 1 : null
  const paging = `{"page":${page},"per_page":${perPage},"total":${total},"next_page":${nextPage}}`
  return `{"data":[${elements}],"meta":${paging},"_meta":${meta}}`
}

/** The single-resource envelope: `data`, `_meta`. */
export function singleEnvelope(resource: string, meta: string): string {
  return `{"data":${resource},"_meta":${meta}}`
}
