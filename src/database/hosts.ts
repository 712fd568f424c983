import type pg from 'pg'
import { type Host, hostsText, hostText, type PostgresUrl, readPostgresUrl } from '../config/postgres-url.ts'
import { messageOf } from '../domain/error.ts'
import { DatabaseUnavailable, isRefusedLogin, sqlState } from './errors.ts'
import { type History, kindOf, lookAt, type Seen, suits, watch } from './server-kind.ts'

/** None of the hosts has a server of the kind that is wanted; the message says why not, for each. */
export class NoUsableHost extends DatabaseUnavailable {
  override name = 'NoUsableHost'
}

/** A host whose connection failed, or whose server is of another kind. */
export class HostFailed extends DatabaseUnavailable {
  override name = 'HostFailed'
}

/** The hosts of a connection string, and what this process knows of them. */
export type Hosts = {
  url: PostgresUrl
  /** The host that the next connection goes to. */
  current(): Host
  /** Whether it is known to have had a server of the right kind. */
  isFound(): boolean
  /** The hosts in the order in which they are tried: the one that worked, then the others, last the one that failed last. */
  order(): Host[]
  /**
   * Looks at the server of a new connection and remembers its host.
   *
   * @param preferred false accepts what is second best: with prefer-standby, a primary
   * @throws HostFailed when it is not of the kind wanted, or a primary that another one has replaced
   */
  check(client: pg.ClientBase, host: Host, preferred?: boolean): Promise<void>
  /** Whether a connection still has what was found: the server may have changed, and with it the host to be used. */
  accepts(client: pg.ClientBase): boolean
  /** The host is not to be used before the others have been tried. */
  lost(host: Host): void
}

/** What all connections of this process to the same hosts for the same purpose share. */
type State = {
  found: Host | undefined
  next: Host | undefined
  failed: Host | undefined
  /** The newest history that was seen, and on which host. */
  newest: { history: History; host: Host } | undefined
}
const states = new Map<string, State>()

/** The hosts of a connection string; undefined when there is one of any kind, which needs none of this. */
export function hostsOf(connectionString: string): Hosts | undefined {
  const url = readPostgresUrl(connectionString)
  if (url.hosts.length === 1 && url.kind === 'any') return undefined
  const needsPrimary = url.kind === 'primary' || url.kind === 'read-write'
  const key = `${hostsText(connectionString)} ${needsPrimary ? 'primary' : url.kind}`
  const state = states.get(key) ?? { found: undefined, next: undefined, failed: undefined, newest: undefined }
  states.set(key, state)
  const seen = new WeakMap<pg.ClientBase, Seen & { host: Host }>()

  return {
    url,
    current: () => state.found ?? state.next ?? (url.hosts[0] as Host),
    isFound: () => state.found !== undefined,
    order: () => url.hosts.toSorted((one, other) => rank(one, state) - rank(other, state)),
    async check(client, host, preferred = true) {
      const server = { ...(await lookAt(client, needsPrimary)), host }
      const reason = suits(server, url.kind, preferred)
        ? replacedBy(state.newest, server)
        : `it is a ${kindOf(server)} server, wanted is ${url.kind}`
      if (reason !== undefined) throw new HostFailed(reason)
      if (server.history) state.newest = { history: server.history, host }
      // What is second best is looked for again each time.
      if (suits(server, url.kind, true)) state.found = host
      state.next = host
      if (same(state.failed, host)) state.failed = undefined
      seen.set(client, server)
      watch(client, server)
    },
    accepts(client) {
      const server = seen.get(client)
      if (server === undefined || !suits(server, url.kind, false)) return false
      if (!needsPrimary) return true
      return same(state.found, server.host) && replacedBy(state.newest, server) === undefined
    },
    lost(host) {
      state.failed = host
      if (same(state.found, host)) state.found = undefined
      if (same(state.next, host)) state.next = undefined
    },
  }
}

/**
 * Why a primary is one of the past: another has been promoted since, and this process has seen it. Who may not know a server's history
 * takes the host of those who do.
 */
function replacedBy(newest: State['newest'], { history, host }: Seen & { host: Host }): string | undefined {
  if (newest === undefined || same(newest.host, host)) return undefined
  const by = `a primary of timeline ${newest.history.timeline} has replaced it`
  if (history === undefined) return `it does not tell its timeline, and perhaps ${by}`
  const isOlder = history.system === newest.history.system && history.timeline < newest.history.timeline
  return isOlder ? `its timeline is ${history.timeline}, and ${by}` : undefined
}

const same = (one: Host | undefined, other: Host) => one?.host === other.host && one.port === other.port

const rank = (host: Host, { found, failed }: State) => (same(found, host) ? 0 : same(failed, host) ? 2 : 1)

/** The connection string of one of the hosts. */
export function urlOf(hosts: Hosts, { host, port }: Host): string {
  const url = new URL(hosts.url.url)
  if (hosts.url.hosts.length > 1) {
    url.searchParams.set('host', host)
    url.searchParams.set('port', String(port))
  }
  for (const name of ['target_session_attrs', 'connect_timeout']) url.searchParams.delete(name)
  return url.href
}

/**
 * Connects to the first host, in their order, whose server is of the kind wanted. The caller closes the client.
 *
 * @param make makes a client that is not connected, for the connection string of one host
 * @throws NoUsableHost; the server's error when it refuses the login, which the others would as well
 */
export async function connectToOne<Client extends pg.Client>(
  hosts: Hosts,
  make: (url: string) => Client,
): Promise<{ client: Client; host: Host }> {
  const failures = new Map<string, string>()
  const passes = hosts.url.kind === 'prefer-standby' ? [true, false] : [true]
  for (const preferred of passes) {
    for (const host of hosts.order()) {
      const client = make(urlOf(hosts, host))
      client.on('error', () => undefined)
      try {
        await client.connect()
        await hosts.check(client, host, preferred)
        return { client, host }
      } catch (error) {
        void client.end().catch(() => undefined)
        if (isRefusedLogin(error)) throw error
        hosts.lost(host)
        failures.set(hostText(host), sqlState(error) ? `${sqlState(error)} ${messageOf(error)}` : messageOf(error))
      }
    }
  }
  throw new NoUsableHost([...failures].map(([name, reason]) => `${name}: ${reason}`).join('; '))
}
