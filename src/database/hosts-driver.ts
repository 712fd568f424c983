import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Host, hostText } from '../config/postgres-url.ts'
import { messageOf } from '../domain/error.ts'
import type { Logger } from '../observability/log.ts'
import { isRefusedLogin } from './errors.ts'
import { connectToOne, HostFailed, type Hosts, urlOf } from './hosts.ts'
import { closeIdle, type Driver } from './statement.ts'

/** How often the host that was found may fail a new connection before its caller fails: the hosts are tried again each time. */
const maxFailures = 3

type Options = pg.PoolConfig & { connectionTimeoutMillis: number; max: number }

/** The options with which a pool connects to the host in use, and looks at the server before it lends the connection. */
export function optionsForHosts(hosts: Hosts, options: Options, log: Logger): Options {
  const { connectionTimeoutMillis } = options
  const Client = (options.Client ?? pg.Client) as typeof pg.Client
  const timeoutMs = hosts.url.connectTimeoutMs ?? connectionTimeoutMillis

  class ClientOfHost extends Client {
    readonly to: Host
    constructor(config?: pg.ClientConfig) {
      const to = hosts.current()
      super({ ...config, connectionString: urlOf(hosts, to), connectionTimeoutMillis: timeoutMs })
      this.to = to
      const connect = this.connect.bind(this) as (callback: (error?: Error) => void) => void
      // The pool passes a callback.
      this.connect = ((callback: (error?: Error) => void) =>
        connect((error) => callback(error && !isRefusedLogin(error) ? failed(hosts, to, error) : error))) as never
    }
  }

  let last: string | undefined
  const onConnect = async (client: pg.ClientBase) => {
    const { to } = client as ClientOfHost
    try {
      await hosts.check(client, to, false)
    } catch (error) {
      throw failed(hosts, to, error)
    }
    const host = hostText(to)
    if (last !== undefined && last !== host) log.warn({ host, before: last }, 'the database is on another host')
    last = host
  }
  return { ...options, Client: ClientOfHost, onConnect } as Options
}

function failed(hosts: Hosts, host: Host, error: unknown): Error {
  hosts.lost(host)
  return error instanceof HostFailed ? error : new HostFailed(messageOf(error), { cause: error })
}

/**
 * A driver whose connections go to the one of several hosts that has the right server. It is looked for before the first is opened
 * and whenever one fails. A connection to another one, as the old primary after a failover, is closed instead of being lent.
 *
 * @param pool made with `optionsForHosts`
 */
export function driverOfHosts(pool: pg.Pool, hosts: Hosts, options: Options): Driver {
  const timeoutMs = hosts.url.connectTimeoutMs ?? options.connectionTimeoutMillis
  let searching: Promise<void> | undefined

  /** Tries the hosts on a connection that is closed again; those of the pool are made afterwards. */
  async function search(): Promise<void> {
    const { client } = await connectToOne(
      hosts,
      (url) =>
        new pg.Client({
          connectionString: url,
          application_name: options.application_name,
          connectionTimeoutMillis: timeoutMs,
          query_timeout: timeoutMs,
        }),
    )
    void client.end().catch(() => undefined)
  }

  async function find(): Promise<void> {
    // The second best is in use until its connections end.
    const isEnough = hosts.url.kind === 'prefer-standby' && (pool.idleCount > 0 || pool.totalCount >= options.max)
    if (hosts.isFound() || isEnough) return
    searching ??= search().finally(() => {
      searching = undefined
    })
    const late = sleep(options.connectionTimeoutMillis, undefined, { ref: false }).then(() => {
      throw new HostFailed('timeout exceeded when trying to connect to one of the hosts')
    })
    await Promise.race([searching, late])
  }

  async function connect(): Promise<pg.PoolClient> {
    for (let failures = 0; ; ) {
      await find()
      try {
        const client = await pool.connect()
        if (hosts.accepts(client)) return client
        client.release(true)
      } catch (error) {
        failures += 1
        if (failures === maxFailures || !isOfHost(error)) throw error
      }
    }
  }

  return {
    get totalCount() {
      return pool.totalCount
    },
    get idleCount() {
      return pool.idleCount
    },
    get waitingCount() {
      return pool.waitingCount
    },
    connect: connect as pg.Pool['connect'],
    async query<Row extends object>(query: { name?: string; text: string; values: unknown[] }) {
      const client = await connect()
      try {
        const result = await client.query<Row>(query)
        client.release()
        return result
      } catch (error) {
        client.release(true)
        throw error
      }
    },
    end: (() => pool.end()) as pg.Pool['end'],
    suspect() {
      hosts.lost(hosts.current())
      void closeIdle(pool)
    },
  }
}

/** Whether a connection failed for a reason of its host; the pool wraps a timeout. */
const isOfHost = (error: unknown) =>
  error instanceof HostFailed || (error instanceof Error && error.cause instanceof HostFailed)
