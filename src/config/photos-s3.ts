import type { z } from 'zod'
import { ConfigError } from './error.ts'
import { text, trueOrFalse, webAddress } from './values.ts'

/** A bucket of object storage with the photos, and the credentials that sign their URLs. */
export type PhotosS3 = {
  bucket: string
  region: string
  /** Undefined: those of the role that the process has, by AWS's own chain of providers. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken: string | undefined } | undefined
  /** The address of a storage other than AWS, without the bucket. */
  endpoint: string | undefined
  /** Whether the bucket is in the path of the URL instead of its host. */
  pathStyle: boolean
  /** Folder of the photos in the bucket, without a slash at its ends. */
  prefix: string | undefined
}

/** Printable ASCII without spaces. */
const credential = /^[!-~]+$/
const advice = {
  PHOTOS_S3_BUCKET: 'give the name of the bucket: 3 to 63 small letters, digits, dots and hyphens',
  PHOTOS_S3_REGION: "give the bucket's region, for example eu-central-1 (what other servers call it, often us-east-1)",
  PHOTOS_S3_ACCESS_KEY_ID: 'give the id of an access key that may read the bucket',
  PHOTOS_S3_SECRET_ACCESS_KEY: 'give the secret of the access key',
} as const

const key = ['PHOTOS_S3_ACCESS_KEY_ID', 'PHOTOS_S3_SECRET_ACCESS_KEY', 'PHOTOS_S3_SESSION_TOKEN'] as const
/** What means something only with a bucket. */
const dependent = [
  'PHOTOS_S3_REGION',
  ...key,
  'PHOTOS_S3_ENDPOINT',
  'PHOTOS_S3_PATH_STYLE',
  'PHOTOS_S3_PREFIX',
] as const

export const photosS3Variables = {
  PHOTOS_S3_BUCKET: text(
    (value) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value),
    advice.PHOTOS_S3_BUCKET,
  ).optional(),
  PHOTOS_S3_REGION: text((value) => /^[a-z0-9-]{1,40}$/.test(value), advice.PHOTOS_S3_REGION).optional(),
  PHOTOS_S3_ENDPOINT: webAddress(
    'give the address of the storage without the bucket, for example https://s3.example.com',
  ).optional(),
  PHOTOS_S3_PATH_STYLE: trueOrFalse(false),
  PHOTOS_S3_ACCESS_KEY_ID: text(
    (value) => credential.test(value) && !value.includes('/'),
    advice.PHOTOS_S3_ACCESS_KEY_ID,
  ).optional(),
  PHOTOS_S3_SECRET_ACCESS_KEY: text((value) => credential.test(value), advice.PHOTOS_S3_SECRET_ACCESS_KEY).optional(),
  PHOTOS_S3_SESSION_TOKEN: text(
    (value) => credential.test(value),
    'give the session token of temporary credentials',
  ).optional(),
  PHOTOS_S3_PREFIX: text(
    (value) => /^[^/]+(\/[^/]+)*\/?$/.test(value) && !/(^|\/)\.{1,2}(\/|$)/.test(value),
    'give the folder in the bucket, for example inventory/photos',
  ).optional(),
}

type Data = z.infer<z.ZodObject<typeof photosS3Variables>>

/**
 * The bucket of the photos, or undefined when none is named.
 *
 * @param given the names of the variables that are set
 * @throws ConfigError when something that belongs to it is missing, or is set without a bucket
 */
export function readPhotosS3(data: Data, given: readonly string[]): PhotosS3 | undefined {
  const { PHOTOS_S3_BUCKET: bucket } = data
  if (bucket === undefined) {
    const stray = dependent.find((name) => given.includes(name))
    if (stray === undefined) return undefined
    throw new ConfigError(
      `${stray}: set without PHOTOS_S3_BUCKET; set PHOTOS_S3_BUCKET as well, or no PHOTOS_S3_ variable for photos in PHOTOS_DIR`,
    )
  }
  const { PHOTOS_S3_REGION: region } = data
  if (region === undefined) {
    throw new ConfigError(`PHOTOS_S3_REGION: not set, but needed with PHOTOS_S3_BUCKET; ${advice.PHOTOS_S3_REGION}`)
  }
  return {
    bucket,
    region,
    credentials: readKey(data),
    endpoint: data.PHOTOS_S3_ENDPOINT,
    pathStyle: data.PHOTOS_S3_PATH_STYLE,
    prefix: data.PHOTOS_S3_PREFIX?.replace(/\/$/, ''),
  }
}

/** @throws ConfigError when only a part of the key is set */
function readKey(data: Data): PhotosS3['credentials'] {
  const set = key.find((name) => data[name] !== undefined)
  if (set === undefined) return undefined
  const [accessKeyId, secretAccessKey] = key.slice(0, 2).map((name) => {
    const value = data[name]
    if (value !== undefined) return value
    throw new ConfigError(
      `${name}: not set, but needed with ${set}; ${advice[name as keyof typeof advice]}, or set none of the key for that of the role that the service has`,
    )
  }) as [string, string]
  return { accessKeyId, secretAccessKey, sessionToken: data.PHOTOS_S3_SESSION_TOKEN }
}
