import { createHmac, type KeyObject } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { keysFor, type PurposeKeys, type SecretKeys, withAnyKey } from '../domain/keys.ts'
import { contentTypeOf } from '../domain/vocabulary.ts'
import { type OpenPhoto, type PhotoSigner, urlLifeSeconds } from './signer.ts'

const audience = 'photos'
const algorithm = 'HS256'
const header = encode({ alg: algorithm, typ: 'JWT' })

type LocalPhotosOptions = {
  /** The service's secrets; the signing keys are derived from them. */
  secretKeys: SecretKeys
  publicUrl: string
  photosDir: string
  /** The time, in milliseconds since the epoch. */
  now?: () => number
}

/** Signs and serves a folder's photos: a JWT names the key for an hour. `sign` rejects bad keys. */
export function createLocalPhotos({
  secretKeys,
  publicUrl,
  photosDir,
  now = Date.now,
}: LocalPhotosOptions): PhotoSigner {
  const keys = keysFor(secretKeys, audience)
  return {
    async sign(storageKey) {
      if (contentTypeOf(storageKey) === null) throw new Error('the storage key is not one of a photo that is served')
      const expires = Math.floor(now() / 1000) + urlLifeSeconds
      return `${publicUrl}/photos/${signedToken(keys[0], storageKey, expires)}`
    },
    async open(segment) {
      const storageKey = await storageKeyOf(segment, keys, now())
      return storageKey === null ? null : openPhoto(photosDir, storageKey)
    },
  }
}

/** Node's HMAC signs a JWT in 3 µs; jose's takes up to 90, and an item may have many photos. */
function signedToken(key: KeyObject, subject: string, expires: number): string {
  const content = `${header}.${encode({ sub: subject, aud: audience, exp: expires })}`
  return `${content}.${createHmac('sha256', key).update(content).digest('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** The storage key in a token; null for a forged, expired or other token. */
async function storageKeyOf(token: string, keys: PurposeKeys, now: number): Promise<string | null> {
  const verified = await withAnyKey(keys, (key) =>
    jwtVerify(token, key, {
      algorithms: [algorithm],
      audience,
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(now),
    }),
  )
  return verified?.payload.sub ?? null
}

/** Returns null when there is no such file. */
async function openPhoto(folder: string, storageKey: string): Promise<OpenPhoto | null> {
  const contentType = contentTypeOf(storageKey)
  if (contentType === null) return null
  const file = await open(join(folder, storageKey)).catch(() => null)
  if (file === null) return null
  const state = await file.stat()
  if (state.isFile()) return { contentType, bytes: state.size, content: file.createReadStream() }
  await file.close()
  return null
}
