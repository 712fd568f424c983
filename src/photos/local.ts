import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { contentTypeOf } from '../domain/vocabulary.ts'
import { type OpenPhoto, type PhotoSigner, urlLifeSeconds } from './signer.ts'

const audience = 'photos'
const algorithm = 'HS256'
const header = encode({ alg: algorithm, typ: 'JWT' })

type LocalPhotosOptions = {
  /** The service's secret; the signing key is derived from it. */
  secretKey: string
  publicUrl: string
  photosDir: string
  /** The time, in milliseconds since the epoch. */
  now?: () => number
}

/** Signs and serves a folder's photos: a JWT names the key for an hour. `sign` rejects bad keys. */
export function createLocalPhotos({
  secretKey,
  publicUrl,
  photosDir,
  now = Date.now,
}: LocalPhotosOptions): PhotoSigner {
  const key = photoKey(secretKey)
  return {
    async sign(storageKey) {
      if (contentTypeOf(storageKey) === null) throw new Error('the storage key is not one of a photo that is served')
      const expires = Math.floor(now() / 1000) + urlLifeSeconds
      return `${publicUrl}/photos/${signedToken(key, storageKey, expires)}`
    },
    async open(segment) {
      const storageKey = await storageKeyOf(segment, key, now())
      return storageKey === null ? null : openPhoto(photosDir, storageKey)
    },
  }
}

function photoKey(secretKey: string): KeyObject {
  return createSecretKey(createHmac('sha256', secretKey).update(audience).digest())
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
async function storageKeyOf(token: string, key: KeyObject, now: number): Promise<string | null> {
  try {
    const { payload } = await jwtVerify(token, key, {
      algorithms: [algorithm],
      audience,
      requiredClaims: ['sub', 'exp'],
      currentDate: new Date(now),
    })
    return payload.sub ?? null
  } catch {
    return null
  }
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
