import { createHmac } from 'node:crypto'

/** Connection strings of the database in use. */
export type Database = {
  /** The administrator's: migrates, and runs management functions as studio_owner. */
  adminUrl: string
  /** A role's connection string at the server of another one, by default its own. */
  urlFor(role: LoginRole, at?: string): LoginUrl
  /** The secret from which role passwords and signing keys are derived. */
  secretKey: string
  /** The same, then those that the service accepts while it is rotated. */
  secretKeys: readonly [string, ...string[]]
  embedded: boolean
  /** Releases the embedded server, which stops when nobody uses it. Close the pools first. */
  close(): Promise<void>
}

/** A login's connection string. While SECRET_KEY is rotated there are more, with the passwords of
 * other keys, for when the server refuses the one before. */
export type LoginUrl = string | readonly string[]

/** The connection string that comes first. */
export const firstOf = (url: LoginUrl): string => [url].flat()[0] ?? ''

/** Roles that log in with a derived password. They own nothing. `sql/grants/` has their rights. */
export const loginRoles = [
  'studio_api',
  'studio_recorder',
  'studio_writer',
  'studio_console',
  'studio_graphql',
] as const

export type LoginRole = (typeof loginRoles)[number]

/** A role's password: HMAC-SHA256 of its name under the service's secret key, as base64url. */
export function rolePassword(secretKey: string, role: LoginRole): string {
  return createHmac('sha256', secretKey).update(`role:${role}`).digest('base64url')
}

/** A role's connection string: the administrator's, with the role's name and derived password. */
export function roleUrl(databaseUrl: string, role: LoginRole, secretKey: string): string {
  return urlFor(databaseUrl, role, rolePassword(secretKey, role))
}

/** The user in a connection string; undefined: none. */
export function userOf(url: string): string | undefined {
  const { username, searchParams } = new URL(url)
  return decodeURIComponent(username) || searchParams.get('user') || undefined
}

/** The same database for another login. */
export function urlFor(databaseUrl: string, user: string, password: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.delete('user')
  url.searchParams.delete('password')
  if (url.host === '') {
    // A URL without a host (?host= names a Unix socket) takes credentials only as parameters.
    url.searchParams.set('user', user)
    url.searchParams.set('password', password)
    // libpq does not read `+` as a space.
    return url.href.replaceAll('+', '%20')
  }
  url.username = user
  url.password = password
  return url.href
}
