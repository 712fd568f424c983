import { defaultProvider } from '@aws-sdk/credential-provider-node'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'

/** Credentials that sign; temporary ones have a session token and an end. */
export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
  expiration?: Date | undefined
}

/** Finds credentials, and keeps those that have not expired; `forceRefresh` finds others. */
export type Chain = (options?: { forceRefresh?: boolean }) => Promise<Credentials>

/** For how long a failure is remembered, in milliseconds: a chain that finds nothing may take seconds to say so. */
const failureMs = 5_000

/** How often credentials that expire before a URL would are replaced, in milliseconds. */
const renewalIntervalMs = 5 * 60_000

/**
 * Credentials from AWS's own chain: the variables AWS_…, a profile (SSO among them), the role of a Kubernetes service account (exchanged
 * in the region), of a container, of an instance. Nothing is requested before the first call.
 */
export function roleCredentials(region: string, lifeSeconds: number, log?: Logger): () => Promise<Credentials> {
  return renewInTime(defaultProvider({ clientConfig: { region } }) as Chain, lifeSeconds, log)
}

/**
 * Replaces temporary credentials in the background when they would not last for the whole life of a URL, every five minutes at most: a role
 * may not give any that last longer. When none are found, the same error is thrown for some seconds.
 */
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
