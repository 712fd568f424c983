import type { z } from 'zod'
import { ConfigError, text, webAddress } from './values.ts'

/** A bucket with the photos. AWS's chain of providers finds the credentials for their URLs. */
export type PhotosS3 = {
  bucket: string
  region: string
  /** The address of a storage outside AWS, without the bucket, which follows in the path. */
  endpoint: string | undefined
  /** The folder of the photos in the bucket, without a slash at either end. */
  prefix: string | undefined
}

const regionAdvice = "give the bucket's region, for example eu-central-1 (what other servers call it, often us-east-1)"

export const photosVariables = {
  PHOTOS_S3_BUCKET: text(
    (value) => /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[^/]+)*\/?$/.test(value) && !/\/\.{1,2}(\/|$)/.test(value),
    'give the name of the bucket (3 to 63 small letters, digits, dots and hyphens), and a folder if the photos are in one, for example studio-photos/inventory',
  ).optional(),
  PHOTOS_S3_REGION: text((value) => /^[a-z0-9-]{1,40}$/.test(value), regionAdvice).optional(),
  PHOTOS_S3_ENDPOINT: webAddress(
    'give the address of the storage without the bucket, for example https://s3.example.com',
  ).optional(),
}

/** The bucket of the photos, or undefined when none is named. @throws
 * ConfigError when the region is missing, or something is set without a bucket */
export function readPhotosS3(data: z.infer<z.ZodObject<typeof photosVariables>>): PhotosS3 | undefined {
  const { PHOTOS_S3_BUCKET: place, PHOTOS_S3_REGION: region, PHOTOS_S3_ENDPOINT: endpoint } = data
  if (place === undefined) {
    for (const name of ['PHOTOS_S3_REGION', 'PHOTOS_S3_ENDPOINT'] as const) {
      if (data[name] === undefined) continue
      throw new ConfigError(`${name}: set without PHOTOS_S3_BUCKET; set both, or neither for photos in PHOTOS_DIR`)
    }
    return undefined
  }
  if (region === undefined) {
    throw new ConfigError(`PHOTOS_S3_REGION: not set, but needed with PHOTOS_S3_BUCKET; ${regionAdvice}`)
  }
  const [bucket = '', ...folders] = place.split('/').filter((part) => part !== '')
  return { bucket, region, endpoint, prefix: folders.join('/') || undefined }
}
