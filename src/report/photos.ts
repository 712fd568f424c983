import pLimit from 'p-limit'
import type { Item } from './schedule.ts'
import type { Thumbnail, Thumbnails } from './thumbnails.ts'

/** What became of the items' first photos. `too_large` are above the limits of a thumbnail, and
 * a spreadsheet leaves out those above its own (`omitted`). */
export type PhotoCounts = { shown: number; missing: number; unreadable: number; too_large: number; omitted: number }

export type Illustrated = Item & { thumbnail: Thumbnail | null }

/** Reads four photos at once. Those that are not decoded yet wait in memory. */
const several = pLimit(4)

/** Adds thumbnails to batches of items and counts them. Reads the next batch's in advance. */
export async function* illustrate(
  batches: AsyncIterable<Item[]>,
  thumbnails: Thumbnails,
  counts: PhotoCounts,
): AsyncGenerator<Illustrated[]> {
  let ahead: Promise<Illustrated[]> | undefined
  for await (const batch of batches) {
    const next = withThumbnails(batch, thumbnails)
    if (ahead) yield count(await ahead, counts)
    ahead = next
  }
  if (ahead) yield count(await ahead, counts)
}

function withThumbnails(items: Item[], thumbnails: Thumbnails): Promise<Illustrated[]> {
  return several.map(items, async (item) => ({
    ...item,
    thumbnail: item.photoKey === null ? null : await thumbnails(item.photoKey),
  }))
}

function count(items: Illustrated[], counts: PhotoCounts): Illustrated[] {
  for (const { thumbnail } of items) {
    if (thumbnail === null) continue
    if (typeof thumbnail === 'object') counts.shown += 1
    else counts[thumbnail === 'too large' ? 'too_large' : thumbnail] += 1
  }
  return items
}
