import { listStatement } from '../../api/list-statement.ts'
import type { ListSource } from '../../api/operation.ts'
import type { Values } from '../../api/parameters.ts'
import type { OperationRow } from '../../database/operation-row.ts'
import { type Content, html } from '../../web/html.ts'
import type { MemberReading } from './member-session.ts'
import { number } from './words.ts'

/** How many rows a page of a list has. */
const pageSize = 50

/** Where a page of a list begins. */
export type Paged = { page: number; size: number; skip: number }

/** Reads which page an address asks for. It is the first one if the address names no page. */
export function pageIn(given: URLSearchParams): Paged {
  const text = given.get('page') ?? ''
  const page = /^[1-9]\d{0,6}$/.test(text) ? Number(text) : 1
  return { page, size: pageSize, skip: (page - 1) * pageSize }
}

/** A list that a page links to: an order and filters of a list of the API. Today is `YYYY-MM-DD`. */
export type NamedList = { label: string; order: string; filters: (today: string) => Values }

/** Gives a list of the API ids in place of documents. */
export const idsOnly = 'lateral (select k.id::text as document) d on true'

/** Reads a page of a list of the API, with its filters and its order.
 * @returns how many records the list has, and the documents of the page, separated by commas */
export async function readPage(
  { session, queryWhole }: MemberReading,
  list: ListSource,
  given: Values,
  { page, size }: Paged,
): Promise<{ total: number; documents: string }> {
  const values = { ...given, page, per_page: size }
  const { statement, values: sent } = listStatement('console_list', list, { session, id: null, values, position: null })
  const [found] = await queryWhole<OperationRow>(statement.text, sent)
  return { total: Number(found?.total), documents: found?.data ?? '' }
}

/** Makes an address with these parameters, and leaves out the empty ones. */
export function addressOf(path: string, parameters: Readonly<Record<string, string | number>>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters)) if (value !== '') query.set(name, String(value))
  return query.size === 0 ? path : `${path}?${query}`
}

/** Says which rows the page shows, and links to the pages before and after.
 * @param address the address of a page */
export function pager({ page, size, skip }: Paged, total: number, address: (page: number) => string): Content {
  const pages = Math.ceil(total / size)
  if (total === 0) return null
  const rows = skip >= total ? 'None' : `${number(skip + 1)} to ${number(Math.min(skip + size, total))}`
  return html`<nav class="pager" aria-label="Pages of the list">
<p>${rows} of ${number(total)}</p>
${page > 1 && html`<a class="button" rel="prev" href="${address(Math.min(page - 1, pages))}">Previous</a>`}
${page < pages && html`<a class="button" rel="next" href="${address(page + 1)}">Next</a>`}
</nav>`
}
