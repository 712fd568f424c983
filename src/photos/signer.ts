import type { Readable } from 'node:stream'
import { messageOf } from '../domain/text.ts'

/** Makes the URLs under which clients fetch photos. Serves: "Signed URLs valid for 1 hour". */
export type PhotoSigner = {
  /** A URL for a photo by its storage key, valid for one hour. Rejects if it cannot make one. */
  sign(key: string): Promise<string>
  /** Hears why an answer has no URLs. */
  failed?(reason: string): void
  /** Opens the photo in such a URL's last segment, if this process serves photos. */
  open?(segment: string): Promise<OpenPhoto | null>
}

/** A photo ready to be sent. The caller consumes or destroys the content. */
export type OpenPhoto = { contentType: string; bytes: number; content: Readable }

export const urlLifeSeconds = 60 * 60

/** How long an answer waits for its photos. */
const longestWaitMs = 2_000

/** Signs the photos of an item. Returns URLs in the order of the keys, or none if one fails or
 * takes too long. Never rejects.
 * Serves: "If signing photos fails, photo_urls is an empty array and everything else is
 * intact." */
export async function photoUrls(
  signer: PhotoSigner,
  keys: readonly string[],
  waitMs = longestWaitMs,
): Promise<string[]> {
  if (keys.length === 0) return []
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${waitMs} ms`)), waitMs)
  })
  try {
    return await Promise.race([Promise.all(keys.map(async (key) => signer.sign(key))), late])
  } catch (error) {
    signer.failed?.(messageOf(error))
    return []
  } finally {
    clearTimeout(timer)
  }
}

/** Adds `photo_urls` as the last member of a non-empty JSON object. */
export function withPhotoUrls(resource: string, urls: readonly string[]): string {
  return `${resource.slice(0, -1)},"photo_urls":${JSON.stringify(urls)}}`
}
