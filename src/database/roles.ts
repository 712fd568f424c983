import { createHmac } from 'node:crypto'

/** The database in use, as connection strings. */
export type Database = {
  /** The administrator's: migrates, and runs management functions as studio_owner. */
  adminUrl: string
  /** The connection string of a role; for studio_owner the administrator's, acting as that role. */
  urlFor(role: LoginRole | 'studio_owner'): string
  /** The secret from which role passwords and signing keys are derived. */
  secretKey: string
  embedded: boolean
  /** Releases the embedded server, which stops when nobody else uses it. Pools have to be closed before. */
  close(): Promise<void>
}

/** The roles that log in with a derived password. None owns anything; what each may do is in `sql/grants/`. */
export const loginRoles = [
  'studio_api',
  'studio_recorder',
  'studio_writer',
  'studio_console',
  'studio_graphql',
] as const

export type LoginRole = (typeof loginRoles)[number]

/** The password of a login role: HMAC-SHA256 of the role's name under the service's secret key, as base64url. */
export function rolePassword(secretKey: string, role: LoginRole): string {
  return createHmac('sha256', secretKey).update(`role:${role}`).digest('base64url')
}

/** The connection string of a login role: the administrator's with the role's name and derived password. */
export function roleUrl(databaseUrl: string, role: LoginRole, secretKey: string): string {
  return urlFor(databaseUrl, role, rolePassword(secretKey, role))
}

/** The connection string of an analyst's login: the server, database and TLS of the administrator's, and nothing else. */
export function analystUrl(databaseUrl: string, login: string, password: string): string {
  const url = new URL(urlFor(databaseUrl, login, password))
  // The administrator's own session settings do not apply to others.
  for (const name of ['options', 'application_name', 'sslcert', 'sslkey', 'sslpassword']) url.searchParams.delete(name)
  // SQLAlchemy, and so pandas and Superset, know the scheme under this name only.
  return url.href.replace(/^postgres:/, 'postgresql:')
}

/** The connection string of a replica: its server, database and TLS, with the login of another connection string. */
export function replicaUrl(replica: string, login: string): string {
  const { password, searchParams } = new URL(login)
  const user = userOf(login) ?? ''
  const secret = decodeURIComponent(password) || (searchParams.get('password') ?? '')
  const { host } = new URL(replica)
  return host === ''
    ? urlFor(replica, user, secret)
    : urlFor(replica, encodeURIComponent(user), encodeURIComponent(secret))
}

/** The administrator's connection string for a session that acts as studio_owner from its first statement. */
export function ownerUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.set('options', `${url.searchParams.get('options') ?? ''} -c role=studio_owner`.trim())
  // libpq does not read `+` as a space in a connection string.
  return url.href.replaceAll('+', '%20')
}

/** The user whom a connection string names; undefined: none. */
export function userOf(url: string): string | undefined {
  const { username, searchParams } = new URL(url)
  return decodeURIComponent(username) || searchParams.get('user') || undefined
}

/** The same database as somebody else. */
export function urlFor(databaseUrl: string, user: string, password: string): string {
  const url = new URL(databaseUrl)
  url.searchParams.delete('user')
  url.searchParams.delete('password')
  if (url.host === '') {
    // A URL without a host (a Unix socket named by ?host=) can have credentials only in its parameters.
    url.searchParams.set('user', user)
    url.searchParams.set('password', password)
    // libpq does not read `+` as a space.
    return url.href.replaceAll('+', '%20')
  }
  url.username = user
  url.password = password
  return url.href
}
