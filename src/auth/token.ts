import { hash, randomInt } from 'node:crypto'

/** The tier in a token, for display only: authentication reads the plan elsewhere. */
export type TokenTier = 'pro' | 'studio'

/** A presented token, reduced to its digest: the secret stays in this file. `key` is its text. */
export type PresentedToken = { digest: Buffer; key: string }

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const credentials = /^[Bb][Ee][Aa][Rr][Ee][Rr] +(svc_(?:pro|studio)_[0-9A-Za-z]{32})$/

/** Reads `Authorization`; null without a well-formed token.
 * Serves: "The word Bearer is matched case-insensitively"; "`svc_<tier>_<secret>`, ... secret
 * is 32 random base62 characters". */
export function readCredentials(header: string | undefined): PresentedToken | null {
  const token = credentials.exec(header ?? '')?.[1]
  if (token === undefined) return null
  const digest = digestOf(token)
  return { digest, key: digest.toString('base64url') }
}

/** The SHA-256 digest of a full token: all that the database stores. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer')
}

/** A new secret of 32 random base62 characters, each equally likely. */
export function newSecret(): string {
  return Array.from({ length: 32 }, () => alphabet[randomInt(alphabet.length)]).join('')
}

/** The full token, shown once. */
export function tokenOf(tier: TokenTier, secret: string): string {
  return `svc_${tier}_${secret}`
}
