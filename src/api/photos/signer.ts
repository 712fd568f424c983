import type { Readable } from 'node:stream'

/**
 * Makes the URLs under which clients fetch photos.
 *
 * Serves: "Signed URLs valid for 1 hour".
 */
export type PhotoSigner = {
  /** A URL for the photo under a storage key, valid for one hour. Rejects when it cannot make one. */
  sign(key: string): Promise<string>
  /** Opens the photo that the last path segment of such a URL names, when this process serves photos itself. */
  open?(segment: string): Promise<OpenPhoto | null>
}

/** A photo ready to be sent. Whoever gets it consumes or destroys the content. */
export type OpenPhoto = { contentType: string; bytes: number; content: Readable }

export const urlLifeSeconds = 60 * 60
