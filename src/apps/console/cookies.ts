import { randomBytes } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { Request, Response } from 'express'

/** A cookie that only this host gets, that scripts cannot read and that no other site's request carries. */
export type Cookie = {
  read(request: Request): string | undefined
  write(response: Response, value: string, maxAgeSeconds?: number): void
  clear(response: Response): void
}

/**
 * Makes a cookie of the console. Ports of a host share cookies, hence the service's name in it. Over https it begins with `__Host-`,
 * which binds it to the host: no other host of the domain can plant one.
 */
export function makeCookie(name: string, publicUrl: string): Cookie {
  const secure = publicUrl.startsWith('https:')
  const fullName = `${secure ? '__Host-' : ''}studio-inventory-${name}`
  const write = (response: Response, value: string, maxAge?: number) => {
    response.append(
      'Set-Cookie',
      stringifySetCookie({
        name: fullName,
        value,
        path: '/',
        httpOnly: true,
        sameSite: 'strict',
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
