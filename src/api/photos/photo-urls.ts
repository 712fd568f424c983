import { messageOf } from '../../domain/error.ts'
import type { Logger } from '../../observability/log.ts'
import type { PhotoSigner } from './signer.ts'

/** How long an answer waits for its photos. */
const longestWaitMs = 2_000

/**
 * Signs the photos of an item, all at once, and returns the URLs in the order of the keys. Empty when there are none, when one of them
 * cannot be signed, or when it takes too long; never rejects.
 *
 * Serves: "If signing photos fails, photo_urls is an empty array and everything else is intact."
 */
export async function photoUrls(
  signer: PhotoSigner,
  keys: readonly string[],
  log: Logger,
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
    log.warn({ reason: messageOf(error) }, 'photos could not be signed')
    return []
  } finally {
    clearTimeout(timer)
  }
}

/** Adds `photo_urls` as the last member of an object that is JSON text and has other members. */
export function withPhotoUrls(resource: string, urls: readonly string[]): string {
  return `${resource.slice(0, -1)},"photo_urls":${JSON.stringify(urls)}}`
}
