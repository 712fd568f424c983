import { codeOf, sqlState } from '../database/errors.ts'

export type Host = { host: string; port: number }

/** A connection string is not valid. The message completes "… is not valid; ". No secrets. */
class PostgresUrlError extends Error {
  override name = 'PostgresUrlError'
}

const advice =
  'give a PostgreSQL URL with a database name, for example postgresql://user:password@localhost:5432/studio_inventory'

const oneHost =
  'give one host: behind several servers, give the address of HAProxy, PgBouncer or the managed endpoint that leads to the primary'

/** Checks that a connection string is a PostgreSQL URL with one host
 * and a database name, and returns that host. @throws PostgresUrlError */
export function hostOf(text: string): Host {
  const [, authority] = /^postgres(?:ql)?:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(text) ?? []
  if (authority === undefined) throw new PostgresUrlError(advice)
  if (authority.includes(',')) throw new PostgresUrlError(oneHost)
  const url = URL.parse(text)
  if (url === null || url.pathname.replace('/', '') === '' || /%(?![\da-f]{2})/i.test(authority)) {
    throw new PostgresUrlError(advice)
  }
  const { searchParams } = url
  const host = searchParams.get('host') || decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1')) || 'localhost'
  const port = searchParams.get('port') || url.port || '5432'
  if (`${host}${port}`.includes(',') || !['any', null].includes(searchParams.get('target_session_attrs'))) {
    throw new PostgresUrlError(oneHost)
  }
  if (!/^\d{1,5}$/.test(port)) throw new PostgresUrlError(advice)
  return { host, port: Number(port) }
}

/** The host and port of a connection string, for people to read. */
export function hostText(url: string): string {
  const { host, port } = hostOf(url)
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

const loading =
  'session_preload_libraries or local_preload_libraries, of the server, the database or the role, names a library that is not there'

/** One line for an operator, without a password: which database failed, as which user, and why. */
export function describeConnectionError(databaseUrl: string, error: unknown): string {
  const url = new URL(databaseUrl)
  const host = url.host || hostText(databaseUrl)
  const user = decodeURIComponent(url.username) || url.searchParams.get('user') || 'the default user'
  const reason = (error instanceof Error && error.message) || codeOf(error) || String(error)
  // undefined_file before there is a session
  const library = sqlState(error) === '58P01' ? ` (${loading})` : ''
  return `cannot use the PostgreSQL database ${url.pathname.slice(1)} at ${host} as ${user}: ${reason}${library}`
}
