import type { Random } from '../random.ts'
import type { ItemRow } from './items.ts'

/** A row of app.item_photos and the category of its item. */
export type PhotoRow = { id: string; item_id: string; storage_key: string; position: number; category: string }

/** Up to three photos for about a third of the items. Keys are paths below the folder of photos. */
export function photoRows(studioId: string, items: readonly ItemRow[], random: Random): PhotoRow[] {
  return items
    .filter(() => random.chance(0.36))
    .flatMap((item) =>
      Array.from({ length: random.between(1, 3) }, (_, position) => {
        const id = random.uuid()
        return { id, item_id: item.id, storage_key: `${studioId}/${id}.png`, position, category: item.category }
      }),
    )
}
