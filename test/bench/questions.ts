import { isDeepStrictEqual } from 'node:util'
import { categories, coverageStates } from '../../src/domain/vocabulary.ts'
import type { Studio } from './dataset.ts'
import type { BenchRequest } from './load.ts'

/** What a client wants to know, whichever server it asks. */
export type Question = {
  studio: Studio
  /** One item; else a list. */
  item?: string
  page?: number
  perPage?: number
  category?: string
  coverageState?: string
  updatedSince?: string
  /** The id of the first item that is answered, when it is known. */
  first?: string
  /** Nothing is answered. */
  empty?: boolean
}

/** Puts a question into the words of a server. */
export type Wording = (question: Question) => BenchRequest

/** The API's own words: the service and the usual way. */
export const restWording: Wording = (question) => {
  const { studio, item, first } = question
  const headers = { authorization: `Bearer ${studio.token}` }
  if (item !== undefined) {
    return { path: `/v1/items/${item}`, headers, contains: item, examine: (body) => expectItem(body, item) }
  }
  const given = {
    page: question.page,
    per_page: question.perPage,
    category: question.category,
    coverage_state: question.coverageState,
    updated_since: question.updatedSince,
  }
  const query = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : `${name}=${encodeURIComponent(value)}`,
  )
  const contains = question.empty ? '{"data":[]' : (first ?? '{"data":[{"id":"')
  return { path: `/v1/items?${query.join('&')}`, headers, contains, examine: (body) => expectList(body, question) }
}

type Item = { id: string; category: string; updated_at: string; purchase_price: number; photo_urls?: string[] }
type List = { data: Item[]; meta: { page: number; per_page: number; total: number; next_page: number | null } }

function expectItem(body: unknown, id: string): void {
  const { data, _meta } = body as { data: Item; _meta?: { disclaimers?: unknown[] } }
  const right =
    data.id === id &&
    typeof data.purchase_price === 'number' &&
    data.photo_urls?.every((url) => /\/photos\/[\w-]+\.[\w-]+\.[\w-]+$/.test(url)) &&
    _meta?.disclaimers?.length === 2
  if (!right) throw new Error(`not item ${id}: ${JSON.stringify(body).slice(0, 500)}`)
}

function expectList(body: unknown, question: Question): void {
  const { data, meta } = body as List
  const { page = 1, perPage = 50, category, updatedSince, empty = false } = question
  const left = Math.max(0, Math.min(perPage, meta.total - (page - 1) * perPage))
  const unfiltered = category === undefined && question.coverageState === undefined && updatedSince === undefined
  const right =
    data.length === left &&
    (data.length === 0) === empty &&
    meta.page === page &&
    meta.next_page === (page * perPage < meta.total ? page + 1 : null) &&
    (!unfiltered || meta.total === question.studio.live) &&
    data.every((item) => category === undefined || item.category === category) &&
    data.every((item, n) => n === 0 || item.updated_at <= (data[n - 1]?.updated_at ?? '')) &&
    new Set(data.map((item) => item.id)).size === data.length
  if (!right) throw new Error(`not the list that was asked for: ${JSON.stringify(body).slice(0, 500)}`)
}

/** Fails unless two servers answer with the same values, but for the signatures of photo URLs. */
export function expectSame(one: unknown, other: unknown, path: string): void {
  const plain = (body: unknown) =>
    JSON.parse(JSON.stringify(body, (key, value) => (key === 'photo_urls' ? value.length : value)))
  if (isDeepStrictEqual(plain(one), plain(other))) return
  const shown = (body: unknown) => JSON.stringify(body).slice(0, 600)
  throw new Error(`two servers answer ${path} differently:\n${shown(one)}\n${shown(other)}`)
}

/** The same numbers in the same order in every run: 0 … below `below`. */
export function shuffler(seed = 1): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** A list in an order that does not follow from its contents. */
export function shuffled<Value>(values: Value[], pick = shuffler()): Value[] {
  const mixed = [...values]
  for (let n = mixed.length - 1; n > 0; n--) {
    const other = pick(n + 1)
    const value = mixed[n] as Value
    mixed[n] = mixed[other] as Value
    mixed[other] = value
  }
  return mixed
}

/** Takes one after the other, and starts over at the end. */
export function taker<Value>(values: Value[]): () => Value {
  let taken = 0
  return () => values[taken++ % values.length] as Value
}

/**
 * First pages, no two alike as far as they reach: every studio, page size, category and coverage state; without a filter
 * as often as with one or two.
 */
export function differentPages(studios: Studio[]): () => Question {
  const sizes = Array.from({ length: 81 }, (_, n) => n + 20)
  const pages = studios.flatMap((studio) => sizes.map((perPage) => ({ studio, perPage })))
  const filtered = (filters: Partial<Question>[]) =>
    taker(shuffled(pages.flatMap((page) => filters.map((filter) => ({ ...page, ...filter })))))
  const byCategory = categories.map((category) => ({ category }))
  const byState = coverageStates.map((coverageState) => ({ coverageState }))
  const byBoth = byCategory.flatMap((one) => byState.map((other) => ({ ...one, ...other })))
  const kinds = taker([filtered([{}]), filtered(byCategory), filtered(byState), filtered(byBoth)])
  return () => kinds()()
}
