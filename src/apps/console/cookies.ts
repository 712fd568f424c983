import { randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'
import { baseOf } from '../places.ts'

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

/**
 * Makes a cookie of the console. Ports of a host share cookies, and so do services below paths of one host: hence the service's
 * name and the path of PUBLIC_URL in its name. Over https it begins with `__Host-`, which binds it to the host: no other host of
 * the domain can plant one. Such a cookie has no path; with one it begins with `__Secure-`.
 */
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
