import { catalogue } from '../catalogue/index.ts'
import type { Model } from '../catalogue/model.ts'
import type { Random } from '../random.ts'

/** One piece of equipment that a studio owns: `copy` counts several of one model from 1, null when there is one. */
export type Piece = { category: string; model: Model; copy: number | null }

/**
 * Chooses `count` pieces so that every category is present: models in turns by category, then further copies of those
 * that a studio has several of. `maxPrice` leaves out what costs more pounds. Throws a RangeError when the catalogue is
 * too small.
 */
export function choosePieces(count: number, maxPrice: number, random: Random): Piece[] {
  const shelves = catalogue.map((shelf) => ({
    category: shelf.category,
    models: random.shuffle(shelf.models.filter(([, , price]) => price <= maxPrice)),
  }))
  const chosen: { category: string; model: Model; copies: number }[] = []
  const deepest = Math.max(...shelves.map((shelf) => shelf.models.length))
  for (let depth = 0; depth < deepest; depth++) {
    for (const { category, models } of shelves) {
      const model = models[depth]
      if (model && chosen.length < count) chosen.push({ category, model, copies: 1 })
    }
  }
  let missing = count - chosen.length
  while (missing > 0) {
    const growing = random.shuffle(chosen.filter((piece) => piece.copies < (piece.model[4] ?? 1))).slice(0, missing)
    if (growing.length === 0) throw new RangeError(`the catalogue has no ${count} pieces`)
    for (const piece of growing) piece.copies++
    missing -= growing.length
  }
  return chosen.flatMap(({ category, model, copies }) =>
    Array.from({ length: copies }, (_, index) => ({ category, model, copy: copies > 1 ? index + 1 : null })),
  )
}
