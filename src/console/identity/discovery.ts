import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  discovery,
  None,
} from 'openid-client'
import type { SignInIssuer } from '../../config/console.ts'
import { isSecureAddress } from '../../config/values.ts'
import { IssuerUnavailable, remoteKeys } from '../../id-tokens/id-token.ts'
import type { Logger } from '../../log.ts'
import { reasonOf } from './provider-errors.ts'

/** What the service knows of a provider: the metadata of both sides, and the provider's public
 * keys. */
export type Discovered = { configuration: Configuration; keys: ReturnType<typeof remoteKeys> }

/** How long a request to the provider may take, in seconds. */
const timeoutSeconds = 5

/** When to fetch metadata again, in milliseconds. Older metadata serves while that fails. */
const freshMs = 10 * 60_000

/** After a failure it waits for one second, and each time for twice as long, up to a minute. */
const backoffMs = { first: 1_000, longest: 60_000 }

/** Fetches and caches a provider's metadata (OpenID Connect Discovery 1.0) on demand. The
 * service starts even if a provider is down. */
export function createDiscovery(issuer: SignInIssuer, log: Logger) {
  let known: (Discovered & { at: number; jwksUrl: string }) | undefined
  let failures = 0
  let nextAt = 0
  let running: Promise<void> | undefined

  async function attempt(): Promise<void> {
    try {
      const configuration = await discover(issuer)
      const jwksUrl = keysOf(configuration, issuer)
      const keys = known?.jwksUrl === jwksUrl ? known.keys : remoteKeys(jwksUrl)
      known = { configuration, keys, jwksUrl, at: performance.now() }
      failures = 0
      nextAt = known.at + freshMs
    } catch (error) {
      nextAt = performance.now() + Math.min(backoffMs.first * 2 ** failures, backoffMs.longest)
      failures += 1
      log.warn({ issuer: issuer.issuer, reason: reasonOf(error) }, 'an identity provider cannot be used at the moment')
    }
  }

  /** Fetches due metadata; one attempt at a time. */
  async function refresh(): Promise<void> {
    if (running === undefined && performance.now() < nextAt) return
    running ??= attempt().finally(() => {
      running = undefined
    })
    await running
  }

  return {
    /** @throws IssuerUnavailable while nothing is known */
    async get(): Promise<Discovered> {
      if (known === undefined) await refresh()
      else void refresh()
      if (known === undefined) throw new IssuerUnavailable('the metadata of the issuer cannot be fetched')
      return known
    },
    /** Returns what is known now, without a request. */
    known: () => known,
    /** Whether the last request could not reach the provider. */
    async isAway(): Promise<boolean> {
      // A caller waits only if nothing is known yet. Later it gets what the last fetch found.
      if (known === undefined && failures === 0) await refresh()
      else void refresh()
      return failures > 0
    },
  }
}

async function discover(given: SignInIssuer): Promise<Configuration> {
  const { issuer, clientId } = given
  const here = issuer.startsWith('http:')
  const configuration = await discovery(new URL(issuer), clientId, undefined, authenticationOf(given), {
    timeout: timeoutSeconds,
    execute: here ? [allowInsecureRequests] : [],
  })
  // The library accepts another issuer from some providers; we do not.
  const found = configuration.serverMetadata().issuer
  if (URL.parse(found)?.href !== new URL(issuer).href) {
    throw new TypeError(`its metadata is of another issuer: ${found.slice(0, 200)}`)
  }
  return configuration
}

/** How this client authenticates: in the body if the provider allows it, because some do not
 * decode Basic correctly. Basic is the default (RFC 8414 §2). */
function authenticationOf({ clientSecret }: SignInIssuer): ReturnType<typeof None> {
  if (clientSecret === undefined) return None()
  return (server, ...rest) => {
    const takesBody = server.token_endpoint_auth_methods_supported?.includes('client_secret_post')
    const method = takesBody ? ClientSecretPost : ClientSecretBasic
    return method(clientSecret)(server, ...rest)
  }
}

/** The address of the keys. @throws TypeError if something is missing, or insecure in transit */
function keysOf(configuration: Configuration, { issuer }: SignInIssuer): string {
  const metadata = configuration.serverMetadata()
  const isSecure = issuer.startsWith('http:') ? isSecureAddress : (address: string) => address.startsWith('https:')
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    if (!isSecure(metadata[name] ?? '')) throw new TypeError(`its metadata has no https:// address as ${name}`)
  }
  for (const name of ['userinfo_endpoint', 'end_session_endpoint'] as const) {
    const address = metadata[name]
    if (address !== undefined && !isSecure(address)) throw new TypeError(`its ${name} is no https:// address`)
  }
  return metadata.jwks_uri ?? ''
}
