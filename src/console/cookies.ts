import { createHmac, randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { EncryptJWT, jwtDecrypt } from 'jose'
import { z } from 'zod'
import { digestOf } from '../auth/token.ts'
import { baseOf } from '../web/links.ts'
import type { Provider } from './identity/provider.ts'

/** A cookie that only this host gets and that scripts cannot read. */
export type Cookie = {
  read(request: Request): string | undefined
  write(response: Response, value: string, maxAgeSeconds?: number): void
  clear(response: Response): void
}

/** What differs from a cookie that is sent with every request of this site, and with none of another. */
export type CookieOptions = {
  /** `lax`: also sent when another site leads here by a link or a redirect. */
  sameSite?: 'strict' | 'lax'
  /** The only path that it is sent to. */
  path?: string
}

/** Makes a cookie. Ports and paths of a host share cookies, hence the service's name and the path of PUBLIC_URL in its name.
 * Over https `__Host-` binds it to the host: no other host can plant one. `__Secure-` is for one with a path. */
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

/** A cookie's value: 256 random bits, as base64url. */
export function newCookieValue(): string {
  return randomBytes(32).toString('base64url')
}

/** Whether a text has the form of such a value. */
export function isCookieValue(text: string | undefined): text is string {
  return text !== undefined && /^[A-Za-z0-9_-]{43}$/.test(text)
}

/** Seals what a cookie carries from one page to another: it tells nothing, and nobody can make one.
 * @param purpose what is sealed: each purpose has a key of its own @param content the schema of what was sealed */
export function createSeal<T extends Record<string, unknown>>(
  secretKey: string,
  purpose: string,
  content: z.ZodType<T>,
) {
  const key = createHmac('sha256', secretKey).update(purpose).digest()
  return {
    /** @param audience who may open it; @param seconds for how long */
    seal: (value: T, audience: string, seconds: number): Promise<string> =>
      new EncryptJWT(value)
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setAudience(audience)
        .setExpirationTime(`${seconds} seconds`)
        .encrypt(key),

    /** What was sealed for this audience; null when it was not, or is too old. */
    async open(sealed: string | undefined, audience: string): Promise<T | null> {
      if (sealed === undefined) return null
      try {
        const { payload } = await jwtDecrypt(sealed, key, {
          audience,
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
        })
        return content.parse(payload)
      } catch {
        return null
      }
    },
  }
}

/** Seconds for which the page that shows a new token can be asked for. */
export const revealSeconds = 60

const revealedSchema = z.object({ name: z.string(), token: z.string() })

/** Seals a new token for the cookie that carries it to the next page, which takes the cookie away: a reload sends no form
 * again, no URL contains the token, and the service keeps no copy of it. */
export const createReveal = (secretKey: string) => createSeal(secretKey, 'console:reveal', revealedSchema)

const begunSchema = z.object({
  /** The number of the provider that the browser was sent to. */
  provider: z.number(),
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The digest of the session that the browser had, as base64url; it ends with the sign-in. */
  older: z.string().optional(),
})

/** A sign-in that a browser has begun at a provider. */
type Begun = z.infer<typeof begunSchema>

/** How long somebody may take at the provider, in seconds. */
export const flowSeconds = 10 * 60

const flowAudience = 'the browser that began it'

/** Binds a sign-in to the browser that began it: state, nonce and PKCE verifier travel in a sealed cookie, which is needed to
 * finish. It is SameSite=Lax, because the provider leads back from another site. */
export function createFlow(secretKey: string, cookie: Cookie) {
  const seal = createSeal(secretKey, 'console:sign-in', begunSchema)
  return {
    /** @param session the cookie of the session that the browser has, if any */
    async begin(response: Response, checks: Omit<Begun, 'older'>, session: string | undefined): Promise<void> {
      const older = isCookieValue(session) ? { older: digestOf(session).toString('base64url') } : {}
      cookie.write(response, await seal.seal({ ...checks, ...older }, flowAudience, flowSeconds), flowSeconds)
    },

    /** What this browser has begun at this provider; null when it has not, or too long ago. */
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
