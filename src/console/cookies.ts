import { randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import { z } from 'zod'
import { digestOf } from '../auth/token.ts'
import { keysFor, type SecretKeys, withAnyKey } from '../domain/keys.ts'
import { baseOf } from '../web/links.ts'
import type { Provider } from './identity/provider.ts'

/** A cookie that only this host gets and that scripts cannot read. */
export type Cookie = {
  read(request: Request): string | undefined
  write(response: Response, value: string, maxAgeSeconds?: number): void
  clear(response: Response): void
}

/** How a cookie differs from one that browsers send only with this site's own requests. */
export type CookieOptions = {
  /** With `lax`, browsers send the cookie also when a link or redirect of another site leads
   * here. */
  sameSite?: 'strict' | 'lax'
  /** The only path that gets the cookie. */
  path?: string
}

/** Makes a cookie. Ports and paths of a host share cookies, so its name has service and path.
 * Over https, `__Host-` (`__Secure-` with a path) stops other hosts from setting it. */
export function makeCookie(
  name: string,
  publicUrl: string,
  { sameSite = 'strict', path = '/' }: CookieOptions = {},
): Cookie {
  const secure = publicUrl.startsWith('https:')
  const prefix = path === '/' ? '__Host-' : '__Secure-'
  const base = baseOf(publicUrl).replace(/[^\w.~-]/g, '-')
  const fullName = `${secure ? prefix : ''}studio-inventory${base}-${name}`
  const write = (response: Response, value: string, maxAge?: number) => {
    response.append(
      'Set-Cookie',
      stringifySetCookie({
        name: fullName,
        value,
        path,
        httpOnly: true,
        sameSite,
        secure,
        ...(maxAge !== undefined && { maxAge }),
      }),
    )
  }
  return {
    read: (request) => parseCookie(request.headers.cookie ?? '')[fullName],
    write,
    clear: (response) => write(response, '', 0),
  }
}

/** A cookie's value: 256 random bits as base64url. */
export function newCookieValue(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a text has the form of a cookie's value. */
export function isCookieValue(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** Encrypts what a cookie carries between pages, so that nobody can read or make one.
 * @param purpose gives each use its own key
 * @param content the schema of the content */
export function createSeal<T extends Record<string, unknown>>(
  secretKeys: SecretKeys,
  purpose: string,
  content: z.ZodType<T>,
) {
  const keys = keysFor(secretKeys, purpose)
  return {
    /** @param audience who may open it; @param seconds for how long */
    seal: (value: T, audience: string, seconds: number): Promise<string> =>
      new EncryptJWT(value)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(audience)
        .setExpirationTime(`${seconds} seconds`)
        .encrypt(keys[0]),

    /** The content for this audience; null when it is for another, or expired. */
    async open(sealed: string | undefined, audience: string): Promise<T | null> {
      if (sealed === undefined) return null
      return withAnyKey(keys, async (key) => {
        const { payload } = await jwtDecrypt(sealed, key, {
          audience,
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
        })
        return content.parse(payload)
      })
    },
  }
}

/** How long the page with a new token may be requested, in seconds. */
export const revealSeconds = 60

const revealedSchema = z.object({ name: z.string(), token: z.string(), identity: z.string().optional() })

/** Seals a new token, or an analyst's secrets, in the cookie that carries it to the next page. This
 * page deletes it, so a reload sends no form, no URL has the token, and the service has no copy. */
export const createReveal = (secretKeys: SecretKeys) => createSeal(secretKeys, 'console:reveal', revealedSchema)

const begunSchema = z.object({
  /** The number of the provider at which the person signs in. */
  provider: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The digest (base64url) of the browser's earlier session, which ends with the sign-in. */
  older: z.string().optional(),
})

/** A sign-in that a browser has begun at a provider. */
type Begun = z.infer<typeof begunSchema>

/** How long a person may take at the provider, in seconds. */
export const flowSeconds = 10 * 60

const flowAudience = 'the browser that began it'

/** Binds a sign-in to its browser: a sealed cookie carries state, nonce and PKCE verifier. It is
 * SameSite=Lax, because the provider redirects from another site. */
export function createFlow(secretKeys: SecretKeys, cookie: Cookie) {
  const seal = createSeal(secretKeys, 'console:sign-in', begunSchema)
  return {
    /** @param session the cookie of the browser's session, if any */
    async begin(response: Response, checks: Omit<Begun, 'older'>, session: string | undefined): Promise<void> {
      const older = isCookieValue(session) ? { older: digestOf(session).toString('base64url') } : {}
      cookie.write(response, await seal.seal({ ...checks, ...older }, flowAudience, flowSeconds), flowSeconds)
    },

    /** The sign-in that this browser began at this provider; null: none, or too long ago. */
    async read(request: Request, { number }: Provider): Promise<(Begun & { used: Buffer }) | null> {
      const sealed = cookie.read(request)
      const begun = await seal.open(sealed, flowAudience)
      if (sealed === undefined || begun === null || begun.provider !== number) return null
      return { ...begun, used: digestOf(begun.state) }
    },

    clear: (response: Response) => cookie.clear(response),
  }
}

export type Reveal = ReturnType<typeof createReveal>
export type Flow = ReturnType<typeof createFlow>
