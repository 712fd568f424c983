import type { Config } from '../../config/config.ts'
import { createLocalPhotos } from './local.ts'
import type { PhotoSigner } from './signer.ts'

/** Photos in a folder of this machine, or in a bucket: only then is the S3 signer loaded. */
export async function openPhotos(
  { photosS3, publicUrl, photosDir }: Pick<Config, 'photosS3' | 'publicUrl' | 'photosDir'>,
  secretKey: string,
): Promise<PhotoSigner> {
  if (photosS3 === undefined) return createLocalPhotos({ secretKey, publicUrl, photosDir })
  const { createS3Photos } = await import('./s3.ts')
  return createS3Photos(photosS3)
}
