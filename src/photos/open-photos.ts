import type { Config } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { createLocalPhotos } from './local.ts'
import { type PhotoSigner, urlLifeSeconds } from './signer.ts'

/** Opens the photos in a folder, or in a bucket. Only a bucket loads the S3 code. */
export async function openPhotos(
  { photosS3, publicUrl, photosDir }: Pick<Config, 'photosS3' | 'publicUrl' | 'photosDir'>,
  secretKey: string,
  log?: Logger,
): Promise<PhotoSigner> {
  if (photosS3 === undefined) return createLocalPhotos({ secretKey, publicUrl, photosDir })
  const [{ createS3Photos }, { roleCredentials }] = await Promise.all([import('./s3.ts'), import('./s3.ts')])
  return createS3Photos({ ...photosS3, credentials: roleCredentials(photosS3.region, urlLifeSeconds, log) })
}
