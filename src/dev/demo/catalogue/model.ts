/**
 * One product that a studio may own.
 *
 * `price` is what a well-kept one costs in pounds sterling; `tags` are the words a studio files it under, separated by
 * spaces; `copies` is how many of it a large studio has (1 unless told).
 */
export type Model = readonly [manufacturer: string, model: string, price: number, tags: string, copies?: number]

/** The models of one category, under the category's exact spelling. */
export type Shelf = { category: string; models: readonly Model[] }
