import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Request } from 'express'
import { keysFor, type SecretKeys } from '../domain/keys.ts'

/** The hidden field with the CSRF token, in every form. */
export const csrfField = 'csrf_token'

/** The CSRF tokens of forms, one for each cookie. @param secretKeys the source of their keys */
export function createCsrfTokens(secretKeys: SecretKeys) {
  const keys = keysFor(secretKeys, 'console:forms')
  const digest = (cookie: string, key = keys[0]) => createHmac('sha256', key).update(cookie).digest()
  return {
    /** The value of the hidden field for a browser with this cookie. */
    tokenFor: (cookie: string) => digest(cookie).toString('base64url'),
    /** Whether a form's hidden field has the token of this cookie. */
    verify(cookie: string, csrfToken: string): boolean {
      const given = Buffer.from(csrfToken, 'base64url')
      const expected = keys.map((key) => digest(cookie, key))
      return expected.some((one) => given.length === one.length && timingSafeEqual(given, one))
    },
  }
}

export type CsrfTokens = ReturnType<typeof createCsrfTokens>

/** Whether a page of one of these origins sent the form. No page can forge Origin. */
export function isFrom(origins: readonly string[], request: Request): boolean {
  return origins.includes(request.headers.origin ?? '')
}

/** The origin of an address; empty when it has none. */
function originOf(url: string): string {
  const origin = URL.parse(url)?.origin ?? ''
  return origin === 'null' ? '' : origin
}

/** The origins of the console: the public address, and for loopback all its names. */
export function originsOf(publicUrl: string): string[] {
  const { protocol, hostname, port } = new URL(publicUrl)
  const names = ['localhost', '127.0.0.1', '[::1]']
  const others = names.includes(hostname) ? names : []
  return [originOf(publicUrl), ...others.map((name) => originOf(`${protocol}//${name}:${port}`))]
}

/** A form's field; empty when it is missing or repeated. */
export function field(request: Request, name: string): string {
  const value: unknown = Reflect.get(Object(request.body), name)
  return typeof value === 'string' ? value : ''
}

export function parametersOf(request: Request): URLSearchParams {
  return new URL(request.originalUrl, 'http://here').searchParams
}
