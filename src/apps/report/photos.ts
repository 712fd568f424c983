import { Readable } from 'node:stream'
import sharp from 'sharp'
import type { PhotoSigner } from '../../api/photos/signer.ts'

/** A small JPEG of a photo, or why there is none: the storage has no such photo, or what it has cannot be read as one. */
export type Thumbnail = { jpeg: Buffer; width: number; height: number } | 'missing' | 'unreadable'

export type Thumbnails = (storageKey: string) => Promise<Thumbnail>

/** Twice what is printed, in pixels. */
const edge = 120

/** A photo of more bytes or pixels is not opened. */
const maxBytes = 40 * 2 ** 20
const maxPixels = 120_000_000

/** How long the storage may take for one photo, in milliseconds. */
const timeoutMs = 15_000

// One photo a thread of the pool; several are made at once. Nothing is looked at twice.
sharp.concurrency(1)
sharp.cache(false)

/** Makes thumbnails of the photos that the service signs and serves: from this process, or from the bucket. Never rejects. */
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

/** @throws when there is more than a photo has */
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

/** @throws for what is no image */
async function shrink(photo: Buffer): Promise<Thumbnail> {
  const { data, info } = await sharp(photo, { limitInputPixels: maxPixels, failOn: 'error' })
    .rotate()
    .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .jpeg({ quality: 72 })
    .toBuffer({ resolveWithObject: true })
  return { jpeg: data, width: info.width, height: info.height }
}
