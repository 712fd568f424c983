import { createHmac } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { z } from 'zod'

/**
 * Seals what a cookie carries from one page to another: encrypted, so that the cookie tells nothing, and authenticated, so that
 * nobody can make one.
 *
 * @param secretKey the service's secret; the key of the seal is derived from it
 * @param purpose what is sealed: each purpose has a key of its own
 * @param content what was sealed has to look like
 */
export function createSeal<T extends Record<string, unknown>>(
  secretKey: string,
  purpose: string,
  content: z.ZodType<T>,
) {
  const key = createHmac('sha256', secretKey).update(purpose).digest()
  return {
    /** @param audience who may open it; @param seconds for how long */
    seal: (value: T, audience: string, seconds: number): Promise<string> =>
      new EncryptJWT(value)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(audience)
        .setExpirationTime(`${seconds} seconds`)
        .encrypt(key),

    /** What was sealed for this audience; null when it was not, or is too old. */
    async open(sealed: string | undefined, audience: string): Promise<T | null> {
      if (sealed === undefined) return null
      try {
        const { payload } = await jwtDecrypt(sealed, key, {
          audience,
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
        })
        return content.parse(payload)
      } catch {
        return null
      }
    },
  }
}
