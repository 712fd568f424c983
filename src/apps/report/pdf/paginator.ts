/** Where things are, from the top of a page to its bottom; the first page begins lower than the others. */
export type Paginator = {
  /** Takes the space for something and returns its top. */
  place(height: number): number
  /** Whether something of this height fits on the page. */
  fits(height: number): boolean
  /** Begins the next page. */
  turn(): void
  /** How many pages there are so far. */
  pages(): number
}

export type PageSpace = { firstTop: number; top: number; bottom: number }

export function createPaginator({ firstTop, top, bottom }: PageSpace): Paginator {
  let [y, pages] = [firstTop, 1]
  return {
    place(height) {
      const placed = y
      y += height
      return placed
    },
    fits: (height) => y + height <= bottom,
    turn() {
      y = top
      pages += 1
    },
    pages: () => pages,
  }
}
