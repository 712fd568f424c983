import { Readable } from 'node:stream'
import pLimit from 'p-limit'
import sharp from 'sharp'
import type { PhotoSigner } from '../photos/signer.ts'
import type { Item } from './schedule.ts'

/** A photo as a small JPEG, or why there is none: not in the storage, or not readable. */
export type Thumbnail = { jpeg: Buffer; width: number; height: number } | 'missing' | 'unreadable'

type Thumbnails = (storageKey: string) => Promise<Thumbnail>

/** In pixels: twice what is printed. */
const edge = 120

/** Larger photos are not opened. */
const maxBytes = 40 * 2 ** 20
const maxPixels = 120_000_000

/** How long the storage may take for a photo, in milliseconds. */
const timeoutMs = 15_000

// One thread for each photo; several run at once. No photo occurs twice.
sharp.concurrency(1)
sharp.cache(false)

/** Makes thumbnails of signed photos, from this process or the bucket. Never rejects. */
export function createThumbnails(signer: PhotoSigner): Thumbnails {
  return async (storageKey) => {
    try {
      const photo = await contentOf(signer, storageKey)
      return photo === null ? 'missing' : await shrink(photo)
    } catch {
      return 'unreadable'
    }
  }
}

/** Null when the storage has no such photo. */
async function contentOf(signer: PhotoSigner, storageKey: string): Promise<Buffer | null> {
  const url = await signer.sign(storageKey).catch(() => null)
  if (url === null) return null
  if (signer.open !== undefined) {
    const photo = await signer.open(new URL(url).pathname.split('/').at(-1) ?? '')
    return photo && collect(photo.content)
  }
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch(() => null)
  if (response?.body && response.ok) return collect(Readable.fromWeb(response.body))
  await response?.body?.cancel()
  return null
}

/** @throws for a photo above the limit */
async function collect(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    // Leaving the loop destroys the stream.
    if (bytes > maxBytes) throw new Error('too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws for data that is not an image */
async function shrink(photo: Buffer): Promise<Thumbnail> {
  const { data, info } = await sharp(photo, { limitInputPixels: maxPixels, failOn: 'error' })
    .rotate()
    .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 72 })
    .toBuffer({ resolveWithObject: true })
  return { jpeg: data, width: info.width, height: info.height }
}

/** The outcome of the items' first photos; a spreadsheet `omitted` those above its limit. */
export type PhotoCounts = { shown: number; missing: number; unreadable: number; omitted: number }

export type Illustrated = Item & { thumbnail: Thumbnail | null }

const several = pLimit(8)

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
    else counts[thumbnail] += 1
  }
  return items
}
