/** The kinds of servers that a connection may be made to, as libpq's `target_session_attrs` names them. */
export const serverKinds = ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby'] as const

export type ServerKind = (typeof serverKinds)[number]

export type Host = { host: string; port: number }

/** A connection string, and what of it the driver does not know. */
export type PostgresUrl = {
  /**
   * The same as a URL that URL and libpq read: several hosts are in its parameters (`postgresql:///db?host=a,b&port=5432,5433`),
   * and with them the user and the password.
   */
  url: string
  /** In the order in which they are tried. */
  hosts: Host[]
  kind: ServerKind
  /** How long one host may take to connect, in milliseconds; undefined: not given. */
  connectTimeoutMs: number | undefined
}

/** A connection string is not valid. The message completes "… is not valid; " and repeats neither user nor password. */
export class PostgresUrlError extends Error {
  override name = 'PostgresUrlError'
}

const shape = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)(.*)$/is

/** libpq treats a shorter limit as this one, in seconds. */
const shortestTimeout = 2

/**
 * Reads a PostgreSQL URL with one host or several, `target_session_attrs` and `connect_timeout`, as libpq does.
 *
 * @param several the kind of server when several hosts are given without `target_session_attrs`; it becomes part of the URL
 * @throws PostgresUrlError
 */
export function readPostgresUrl(text: string, several: ServerKind = 'any'): PostgresUrl {
  const [, scheme, userInfo = '', authority = '', rest = ''] = shape.exec(text) ?? []
  // Several hosts are no host to URL: read everything else with another in their place.
  const url = scheme === undefined ? null : URL.parse(authority.includes(',') ? `${scheme}${userInfo}-${rest}` : text)
  if (url === null || url.pathname.replace('/', '') === '') throw new PostgresUrlError(advice)
  const { searchParams } = url
  const ports = searchParams.get('port')?.split(',') ?? []
  const hosts = numbered(searchParams.get('host')?.split(',').map(named) ?? authority.split(',').map(entryOf), ports)
  if (hosts.length > 1) {
    setMissing(searchParams, 'user', url.username)
    setMissing(searchParams, 'password', url.password)
    searchParams.set('host', hosts.map(({ host }) => host).join())
    searchParams.set('port', hosts.map(({ port }) => port).join())
    if (!searchParams.has('target_session_attrs')) searchParams.set('target_session_attrs', several)
  }
  return {
    // libpq does not read `+` as a space.
    url: hosts.length > 1 ? `${url.protocol}//${url.pathname}${url.search.replaceAll('+', '%20')}` : text,
    hosts,
    kind: kindOf(searchParams.get('target_session_attrs')),
    connectTimeoutMs: timeoutOf(searchParams.get('connect_timeout')),
  }
}

const advice =
  'give a PostgreSQL URL with a database name, for example postgresql://user:password@localhost:5432/studio_inventory'

function setMissing(parameters: URLSearchParams, name: string, encoded: string): void {
  if (encoded !== '' && !parameters.has(name)) parameters.set(name, decodeURIComponent(encoded))
}

/** A host with the port beside it; empty when there is none. */
type Entry = { host: string; port: string }

const named = (host: string): Entry => ({ host, port: '' })

/** An entry of the list before the database: a name, an address, one of IPv6 in brackets, or the path of a socket, encoded. */
function entryOf(text: string): Entry {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/.exec(text) ?? []
  try {
    return { host: decodeURIComponent(bracketed ?? plain ?? text), port: port ?? '' }
  } catch {
    throw new PostgresUrlError(advice)
  }
}

function numbered(entries: Entry[], ports: string[]): Host[] {
  if (entries.length > 1 && entries.some(({ host }) => host === '')) {
    throw new PostgresUrlError('one of its hosts is empty: give all of them, as in a.example:5432,b.example:5432')
  }
  if (ports.length > 1 && ports.length !== entries.length) {
    throw new PostgresUrlError(
      `it has ${ports.length} ports for ${entries.length} hosts: give one for all, or one for each`,
    )
  }
  return entries.map(({ host, port }, index) => ({
    host: host || 'localhost',
    port: portOf(port || ports[index] || ports[0] || '5432', host),
  }))
}

function portOf(text: string, host: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port < 1 || port > 65535) {
    throw new PostgresUrlError(`the port of host ${JSON.stringify(host)} is not a number from 1 to 65535`)
  }
  return port
}

function kindOf(text: string | null): ServerKind {
  const kind = serverKinds.find((known) => known === (text || 'any'))
  if (kind === undefined) {
    throw new PostgresUrlError(`target_session_attrs is ${JSON.stringify(text)}: give one of ${serverKinds.join(', ')}`)
  }
  return kind
}

/** In milliseconds; 0 is no limit to libpq, and as if it were not given here. */
function timeoutOf(text: string | null): number | undefined {
  if (text === null || text === '') return undefined
  if (!/^\d{1,6}$/.test(text)) {
    throw new PostgresUrlError(`connect_timeout is ${JSON.stringify(text)}: give whole seconds, for example 3`)
  }
  return Number(text) === 0 ? undefined : Math.max(Number(text), shortestTimeout) * 1_000
}

/** The hosts of a connection string with their ports, as a person reads them. */
export const hostsText = (url: string): string => readPostgresUrl(url).hosts.map(hostText).join()

export function hostText({ host, port }: Host): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}
