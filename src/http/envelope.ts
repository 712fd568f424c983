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
 * @param elements the elements joined by commas, without brackets, as text or in UTF-8; empty for none
 * @param total how many records match on all pages
 * @param meta the `_meta` object as JSON text
 */
export function listEnvelope(
  elements: string | Buffer,
  page: number,
  perPage: number,
  total: number,
  meta: string,
): Buffer {
  const nextPage = page * perPage < total ? page + 1 : null
  return around(
    '{"data":[',
    elements,
    `],"meta":{"page":${page},"per_page":${perPage},"total":${total},"next_page":${nextPage}},"_meta":${meta}}`,
  )
}

/** The single-resource envelope: `data`, `_meta`. */
export function singleEnvelope(resource: string | Buffer, meta: string): Buffer {
  return around('{"data":', resource, `,"_meta":${meta}}`)
}

/** The envelope of an array that is a single resource. */
export function arrayEnvelope(elements: string | Buffer, meta: string): Buffer {
  return around('{"data":[', elements, `],"_meta":${meta}}`)
}

function around(before: string, json: string | Buffer, after: string): Buffer {
  if (typeof json === 'string') return Buffer.from(before + json + after)
  return Buffer.concat([Buffer.from(before), json, Buffer.from(after)])
}
