import { categories, coverageStates } from '../../src/domain/vocabulary.ts'
import type { Dataset, Studio } from './data.ts'
import type { Ask } from './load.ts'

type Query = Record<string, string | number>

/** A list; `first` is the id of its first item where that is known. */
export function list({ token }: Studio, query: Query = {}, first = '{"data":[{"id":"'): Ask {
  const parameters = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  return { path: `/v1/items?${parameters.join('&')}`, token, contains: first }
}

export const pageOne = (studio: Studio): Ask => list(studio, {}, studio.items[0])
export const item = ({ token }: Studio, id = ''): Ask => ({ path: `/v1/items/${id}`, token, contains: id })

/** Nothing is as new as this, so the answer is empty. */
export const poll = (studio: Studio, since: string): Ask => list(studio, { updated_since: since }, '{"data":[]')

/** A number below `below`; the same in the same order in every run. */
export function shuffler(seed = 1): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

export const pickOne = <Value>(values: readonly Value[], pick: (below: number) => number) =>
  values[pick(values.length)] as Value

/** Takes one after the other, and then begins again. */
export function createPicker<Value>(values: readonly Value[]): () => Value {
  let taken = 0
  return () => values[taken++ % values.length] as Value
}

/** Thousands of different first pages, by studio and size, half of them with one or two filters. */
export function differentPages(studios: Studio[]): () => Ask {
  const byCategory = categories.map((category) => ({ category }))
  const byState = coverageStates.map((coverage_state) => ({ coverage_state }))
  const byBoth = byCategory.flatMap((one) => byState.map((other) => ({ ...one, ...other })))
  const kinds = [[{}], byCategory, byState, byBoth].map((filters) => createPicker<Query>(filters))
  // The step is a prime, so every studio gets every page size before the first pair comes again.
  const pages = Array.from({ length: 81 * studios.length }, (_, n) => (n * 787) % (81 * studios.length))
  const filters = createPicker(kinds.map((filter) => [filter, createPicker(pages)] as const))
  return () => {
    const [filter, page] = filters()
    const at = page()
    return list(studios[at % studios.length] as Studio, { per_page: 20 + Math.floor(at / studios.length), ...filter() })
  }
}

/** Requests of every kind, as many clients would send them. */
export function mixed({ usual, large }: Dataset): () => Ask {
  const pick = shuffler(7)
  const different = differentPages(usual)
  const any = () => pickOne(usual, pick)
  const next = createPicker([
    () => list(any()),
    different,
    () => list(large, { page: 1 + pick(3_000) }),
    () => {
      const studio = any()
      return item(studio, pickOne(studio.items, pick))
    },
    () => poll(any(), new Date(Date.now() + 1_000).toISOString()),
    () => ({ ...list(any()), path: pickOne(['/v1/maintenance', '/v1/policies', '/v1/locations'], pick) }),
  ])
  return () => next()()
}
