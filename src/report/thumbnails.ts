import { Readable } from 'node:stream'
import sharp from 'sharp'
import type { PhotoSigner } from '../photos/signer.ts'

/** A photo as a small JPEG, or why there is none: not in the storage, or not readable. */
export type Thumbnail = { jpeg: Buffer; width: number; height: number } | 'missing' | 'unreadable'

export type Thumbnails = (storageKey: string) => Promise<Thumbnail>

/** Larger photos are not opened. */
const maxBytes = 40 * 2 ** 20
const maxPixels = 120_000_000

/** How long the storage may take for a photo, in milliseconds. */
const timeoutMs = 15_000

// Several thumbnails are made at once, so each gets one thread. No photo occurs twice, so there is
// no cache.
sharp.concurrency(1)
sharp.cache(false)

/** Makes thumbnails of signed photos, from this process or the bucket. Never rejects.
 * @param edge of the square that they fit in, in pixels: twice what a report prints */
export function createThumbnails(signer: PhotoSigner, edge = 120): Thumbnails {
  return async (storageKey) => {
    try {
      const photo = await contentOf(signer, storageKey)
      return photo === null ? 'missing' : await shrink(photo, edge)
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
async function shrink(photo: Buffer, edge: number): Promise<Thumbnail> {
  const { data, info } = await sharp(photo, { limitInputPixels: maxPixels, failOn: 'error' })
    .rotate()
    .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 72 })
    .toBuffer({ resolveWithObject: true })
  return { jpeg: data, width: info.width, height: info.height }
}
