import { Readable } from 'node:stream'
import pLimit from 'p-limit'
import sharp, { type Metadata } from 'sharp'
import type { PhotoSigner } from '../photos/signer.ts'

/** A photo as a small JPEG, or why there is none: not in the storage, not a PNG, JPEG or WebP
 * picture, or above the limits. */
export type Thumbnail = { jpeg: Buffer; width: number; height: number } | 'missing' | 'unreadable' | 'too large'

export type Thumbnails = (storageKey: string) => Promise<Thumbnail>

/** Larger photos are not opened. A file may have as many bytes as one in an archive of photos, and a
 * panorama of a phone has some 16,000 pixels at its longer edge. `memory` is for the decoded picture,
 * in bytes. */
const limits = { bytes: 25 * 2 ** 20, pixels: 120_000_000, edge: 20_000, memory: 150_000_000 }

class TooLarge extends Error {}

/** A process decodes one photo at a time that may take as much memory as the limit. Two at a time are
 * read line by line, because those take little memory. */
const [whole, lineByLine] = [pLimit(1), pLimit(2)]

/** How long the storage may take for a photo, in milliseconds. */
const timeoutMs = 15_000

// Here sharp uses one thread, because requests need the others, and no cache, because no photo occurs
// twice.
sharp.concurrency(1)
sharp.cache(false)

/** Makes thumbnails of signed photos, from this process or the bucket. Never rejects.
 * @param edge of the square that they fit in, in pixels: twice what a report prints */
export function createThumbnails(signer: PhotoSigner, edge = 120): Thumbnails {
  return async (storageKey) => {
    try {
      const photo = await contentOf(signer, storageKey)
      return photo === null ? 'missing' : await shrink(photo, edge)
    } catch (error) {
      return error instanceof TooLarge ? 'too large' : 'unreadable'
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

/** @throws TooLarge */
async function collect(content: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of content) {
    bytes += chunk.length
    // Leaving the loop destroys the stream.
    if (bytes > limits.bytes) throw new TooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** @throws TooLarge, or another error for data that is not a picture */
async function shrink(photo: Buffer, edge: number): Promise<Thumbnail> {
  // The checks below throw TooLarge. The limit of sharp would throw an error like any other.
  const picture = sharp(photo, { limitInputPixels: false, failOn: 'error' })
  const seen = await picture.metadata()
  const { width, height } = seen
  if (width * height > limits.pixels || Math.max(width, height) > limits.edge) throw new TooLarge()
  const memory = memoryOf(seen)
  if (memory > limits.memory) throw new TooLarge()
  const decoding = memory === 0 ? lineByLine : whole
  const { data, info } = await decoding(() =>
    picture
      .rotate()
      .resize(edge, edge, { fit: 'inside', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .jpeg({ quality: 72 })
      .toBuffer({ resolveWithObject: true }),
  )
  return { jpeg: data, width: info.width, height: info.height }
}

/** How much memory the whole picture takes, in bytes; 0 for a JPEG that is read line by line. A JPEG
 * in several scans keeps two bytes for each sample, and a lossless WebP four for each pixel. A wide or
 * interlaced PNG needs three quarters more than its samples. @throws for another format */
function memoryOf({ format, width, height, channels, depth, isProgressive }: Metadata): number {
  if (format === 'jpeg') return isProgressive ? width * height * channels * 2 : 0
  if (format === 'webp') return width * height * 4
  if (format === 'png') return width * height * channels * (depth === 'ushort' ? 2 : 1) * 1.75
  throw new Error('not a PNG, JPEG or WebP picture')
}
