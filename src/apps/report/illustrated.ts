import type { Thumbnail, Thumbnails } from './photos.ts'
import type { Item } from './schedule.ts'

/** What became of the first photos of the items; `omitted` are those beyond what a spreadsheet takes. */
export type PhotoCounts = { shown: number; missing: number; unreadable: number; omitted: number }

export type Illustrated = Item & { thumbnail: Thumbnail | null }

/** How many photos are read concurrently. */
const concurrency = 8

/** Adds the thumbnails to batches of items, counts them, and reads those of the next batch while the one before it is used. */
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

async function withThumbnails(items: Item[], thumbnails: Thumbnails): Promise<Illustrated[]> {
  const found: Illustrated[] = items.map((item) => ({ ...item, thumbnail: null }))
  const waiting = found.values()
  const work = async () => {
    for (const item of waiting) if (item.photoKey !== null) item.thumbnail = await thumbnails(item.photoKey)
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return found
}

function count(items: Illustrated[], counts: PhotoCounts): Illustrated[] {
  for (const { thumbnail } of items) {
    if (thumbnail === null) continue
    if (typeof thumbnail === 'object') counts.shown += 1
    else counts[thumbnail] += 1
  }
  return items
}
