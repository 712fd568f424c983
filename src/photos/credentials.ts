import { defaultProvider } from '@aws-sdk/credential-provider-node'
import { messageOf } from '../domain/text.ts'
import type { Logger } from '../log.ts'

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
