/** A cell that accepts whoever asks, and its answer. */
export type Accepted<Cell, Answer> = { cell: Cell; answer: Answer }

/**
 * Which data cells have. While a studio moves, both of its cells accept its tokens for a moment, with the same data, which nobody
 * writes: then the answer of either is right.
 */
export type Versions<Cell, Answer> = {
  /** Which data an answer is of; null: it does not say. */
  of: (answer: Answer) => string | null
  /** Which data a cell has now; null: it does not accept any more. Asked only when several accept, and their answers do not say the same. */
  in: (cell: Cell) => Promise<string | null>
}

/**
 * Of the cells that accept, one whose answer is right; undefined when they have different data. A cell that accepts no more when it is asked
 * again has lost the studio to the other.
 *
 * @throws what `versions.in` throws
 */
export async function rightOf<Cell, Answer>(
  accepted: readonly Accepted<Cell, Answer>[],
  versions: Versions<Cell, Answer>,
): Promise<Accepted<Cell, Answer> | undefined> {
  const [first] = accepted
  const said = new Set(accepted.map(({ answer }) => versions.of(answer)))
  if (accepted.length === 1 || (said.size === 1 && !said.has(null))) return first
  const now = await Promise.all(accepted.map(({ cell }) => versions.in(cell)))
  const left = accepted.filter((_, at) => now[at] !== null)
  if (left.length === 1) return left[0]
  const all = new Set([...said, ...now])
  all.delete(null)
  return all.size === 1 ? first : undefined
}
