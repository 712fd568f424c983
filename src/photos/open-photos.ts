import type { Config } from '../config/config.ts'
import type { SecretKeys } from '../domain/keys.ts'
import type { Logger } from '../log.ts'
import { createLocalPhotos } from './local.ts'
import { type PhotoSigner, urlLifeSeconds } from './signer.ts'

/** How often the log says that photos cannot be signed, in milliseconds. */
const loggedEveryMs = 60_000

/** Opens the photos in a folder, or in a bucket. Only a bucket loads the S3 code. It counts the
 * answers that lack their photos because signing failed, and logs the reason once a minute. */
export async function openPhotos(
  { photosS3, publicUrl, photosDir }: Pick<Config, 'photosS3' | 'publicUrl' | 'photosDir'>,
  secretKeys: SecretKeys,
  log?: Logger,
): Promise<PhotoSigner & { failures(): number }> {
  let signer: PhotoSigner
  if (photosS3 === undefined) signer = createLocalPhotos({ secretKeys, publicUrl, photosDir })
  else {
    const { createS3Photos, roleCredentials } = await import('./s3.ts')
    signer = createS3Photos({ ...photosS3, credentials: roleCredentials(photosS3.region, urlLifeSeconds, log) })
  }
  let failures = 0
  let loggedAt = Number.NEGATIVE_INFINITY
  const failed = (reason: string) => {
    failures += 1
    if (performance.now() - loggedAt < loggedEveryMs) return
    loggedAt = performance.now()
    log?.warn({ reason }, 'photos could not be signed: answers have no photo_urls')
  }
  return { ...signer, failed, failures: () => failures }
}
