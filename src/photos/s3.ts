import { defaultProvider } from '@aws-sdk/credential-provider-node'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { Sha256 } from '@smithy/core/checksum'
import type { PhotosS3 } from '../config/photos.ts'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'
import { type PhotoSigner, urlLifeSeconds } from './signer.ts'

export type S3PhotosOptions = PhotosS3 & {
  /** The credentials that sign, or a function called for each URL. */
  credentials: Credentials | (() => Promise<Credentials>)
  /** The time, in milliseconds since the epoch. */
  now?: () => number
  /** For how many seconds a URL is valid. */
  lifeSeconds?: number
}

/** The longest key of an object, in bytes. */
const longestKey = 1024
const payloadHash = 'x-amz-content-sha256'

/** Signs photos in a bucket: presigned GET URLs (AWS Signature Version 4) that expire after an
 * hour. Asks the storage nothing, so a missing object shows only when a client fetches its URL.
 * `sign` rejects a key that cannot be in a URL.
 * @example 'https://photos.s3.eu-central-1.amazonaws.com/northlight/u87.png?X-Amz-Algorithm=…' */
export function createS3Photos(options: S3PhotosOptions): PhotoSigner {
  const { now = Date.now, lifeSeconds = urlLifeSeconds } = options
  const { region, credentials, prefix } = options
  const presigner = new S3RequestPresigner({
    region,
    credentials: async () => identityOf(typeof credentials === 'function' ? await credentials() : credentials),
    sha256: Sha256,
  })
  const base = baseUrl(options)
  const folder = prefix === undefined ? '' : `${prefix}/`
  return {
    async sign(storageKey) {
      const path = base.pathname.replace(/\/$/, '') + pathOf(`${folder}${storageKey}`)
      // The library would also put the content's hash into the query, which no storage requires.
      const unhoistableHeaders = new Set([payloadHash])
      const { query } = await presigner.presign(
        { method: 'GET', protocol: base.protocol, hostname: base.host, path, query: {}, headers: {} },
        {
          expiresIn: lifeSeconds,
          signingDate: new Date(now()),
          unhoistableHeaders,
          unsignableHeaders: unhoistableHeaders,
        },
      )
      const pairs = Object.entries(query ?? {}).map(([name, value]) => `${name}=${encode(String(value))}`)
      return `${base.origin}${path}?${pairs.join('&')}`
    },
  }
}

function identityOf({ accessKeyId, secretAccessKey, sessionToken }: Credentials) {
  return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
}

/** The bucket is in the host at AWS (`bucket.host`), else in the path (`host/bucket`). */
function baseUrl({ bucket, region, endpoint }: S3PhotosOptions): URL {
  const base = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`)
  // AWS's certificates do not cover the host of a bucket whose name has dots.
  const inPath = bucket.includes('.') || !base.hostname.endsWith('.amazonaws.com')
  if (inPath) base.pathname = `${base.pathname.replace(/\/$/, '')}/${bucket}`
  else base.host = `${bucket}.${base.host}`
  return base
}

/** The path of an object. Refuses keys that clients normalise, which breaks the signature. */
function pathOf(key: string): string {
  const segments = key.split('/')
  if (segments.at(-1) === '' || segments.some((segment) => segment === '.' || segment === '..')) {
    throw new Error('the storage key cannot appear in a URL')
  }
  if (Buffer.byteLength(key) > longestKey) throw new Error(`the storage key is longer than ${longestKey} bytes`)
  return `/${segments.map(encode).join('/')}`
}

/** Encodes all but `A-Z a-z 0-9 - _ . ~`, as SigV4 requires. Throws for lone surrogates. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Credentials that sign. Temporary ones have a session token and an expiry. */
export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  expiration?: Date | undefined
}

/** Finds credentials and keeps them until they expire; `forceRefresh` looks again. */
type Chain = (options?: { forceRefresh?: boolean }) => Promise<Credentials>

/** How long to remember a failure, in milliseconds: a chain that finds nothing may take seconds. */
const failureMs = 5_000

/** How often to replace credentials that expire before a URL would, in milliseconds. */
const renewalIntervalMs = 5 * 60_000

/** Credentials from AWS's own chain: AWS_… variables, a profile (also SSO), the role of a
 * Kubernetes service account , a container or an instance. The first call finds them. */
export function roleCredentials(region: string, lifeSeconds: number, log?: Logger): () => Promise<Credentials> {
  return renewInTime(defaultProvider({ clientConfig: { region } }) as Chain, lifeSeconds, log)
}

/** Replaces temporary credentials in the background if they would expire before a URL, at most
 * every five minutes: a role may give none that last longer. Remembers failures for seconds. */
export function renewInTime(
  chain: Chain,
  lifeSeconds: number,
  log: Logger | undefined,
  now: () => number = Date.now,
): () => Promise<Credentials> {
  let [known, triedAt]: [Credentials | undefined, number] = [undefined, 0]
  let failed: { error: unknown; until: number } | undefined
  return async () => {
    if (failed !== undefined && now() < failed.until) throw failed.error
    const credentials = await chain().catch((error: unknown) => {
      failed = { error, until: now() + failureMs }
      throw error
    })
    failed = undefined
    if (credentials !== known) [known, triedAt] = [credentials, now()]
    const lasts = credentials.expiration === undefined ? Number.POSITIVE_INFINITY : +credentials.expiration - now()
    if (lasts < lifeSeconds * 1000 && now() - triedAt >= renewalIntervalMs) {
      triedAt = now()
      chain({ forceRefresh: true }).catch((error: unknown) => {
        log?.warn({ reason: messageOf(error) }, 'the credentials of the photos could not be renewed')
      })
    }
    return credentials
  }
}
