import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { readPostgresUrl } from '../../src/config/postgres-url.ts'
import { loginRoles, rolePassword } from '../../src/database/roles.ts'
import { end } from '../scaling/processes.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { testSecretKey } from '../support/server.ts'

export const run = promisify(execFile)
const deployment = join(import.meta.dirname, '../../docs/deployment')

/** Below the ports that systems hand out by themselves. */
const ports = { etcd: 23790, peer: 23800, postgres: 25430, rest: 28000, haproxy: 25000, pgbouncer: 26432 }
const superuser = 'CHANGE-superuser'

/** One database server: PostgreSQL, started and watched by Patroni, whose way to etcd can be cut. */
export type Node = {
  name: string
  port: number
  rest: number
  data: string
  /** Its way to etcd. */
  etcd: DatabaseProxy
  patroni: ChildProcess
  start(): Promise<void>
}

export type Cluster = { folder: string; nodes: Node[]; pgbouncer: number; stop(): Promise<void> }

/** Starts what docs/high-availability.md describes with its files on this machine: addresses become ports, folders temporary ones. */
export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-ha-'))
  await chmod(folder, 0o777)
  const children: ChildProcess[] = []
  const mounts: string[] = []
  const nodes: Node[] = []
  const log = (name: string) => createWriteStream(join(folder, `${name}.log`), { flags: 'a' })

  /** PostgreSQL and PgBouncer refuse to be root. */
  function start(name: string, program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
    const asPostgres =
      process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
    const [command = '', ...rest] = [...asPostgres, program, ...args]
    const child = spawn(command, rest, {
      cwd: '/',
      env: { PATH: `${process.env.PATH}:/usr/sbin`, HOME: folder, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream?.pipe(log(name))
    children.push(child)
    return child
  }

  async function stop(): Promise<void> {
    for (const child of children.toReversed()) await end(child, 'SIGTERM')
    for (const { data, etcd } of nodes) {
      await killPostgres(data)
      await etcd.close()
    }
    for (const mount of mounts) await run('umount', [mount]).catch(() => undefined)
    await rm(folder, { recursive: true, force: true })
  }

  try {
    const etcdEnv = await readFile(join(deployment, 'etcd.env'), 'utf8')
    for (const number of [1, 2, 3]) {
      const env = etcdEnv
        .replace(/10\.0\.0\.1(\d):2379/g, (_, n) => `127.0.0.1:${ports.etcd + Number(n === '1' ? number : n)}`)
        .replace(
          /^(ETCD_(?:LISTEN_PEER|INITIAL_ADVERTISE_PEER)_URLS=.*)10\.0\.0\.11:2380/gm,
          `$1127.0.0.1:${ports.peer + number}`,
        )
        .replace(/10\.0\.0\.1(\d):2380/g, (_, n) => `127.0.0.1:${ports.peer + Number(n)}`)
        .replace('ETCD_NAME=db1', `ETCD_NAME=db${number}`)
        .replace('/var/lib/etcd/studio-inventory', join(folder, `etcd${number}`))
      start(
        `etcd${number}`,
        'etcd',
        [],
        Object.fromEntries([...env.matchAll(/^(ETCD_\w+)=(.*)$/gm)].map(([, k, v]) => [k, v])),
      )
    }
    const health = async () => (await fetch(`http://127.0.0.1:${ports.etcd + 1}/health`)).ok
    await vi.waitUntil(() => health().catch(() => false), { timeout: 120_000, interval: 500 })

    for (const number of [1, 2]) {
      const disk = join(folder, `disk${number}`)
      await mkdir(disk)
      // A disk of its own, small enough to be filled.
      await run('mount', ['-t', 'tmpfs', '-o', 'size=600m,mode=0777', 'tmpfs', disk])
      mounts.push(disk)
      const port = ports.postgres + number
      const etcd = await openProxy(`postgres://x@127.0.0.1:${ports.etcd + number}/x`)
      const config = join(folder, `patroni${number}.yml`)
      const data = join(disk, 'main')
      const etcdPort = new URL(etcd.reach('postgres://x@127.0.0.1/x')).port
      const text = (await readFile(join(deployment, 'patroni.yml'), 'utf8'))
        // Proxies are not asked for the addresses of the members, by which they could be passed.
        .replace(/hosts: .*:2379/, `hosts: 127.0.0.1:${etcdPort}\n  use_proxies: true`)
        .replace('name: db1', `name: db${number}`)
        .replaceAll('10.0.0.11:8008', `127.0.0.1:${ports.rest + number}`)
        .replaceAll('10.0.0.11:5432', `127.0.0.1:${port}`)
        .replaceAll('10.0.0.0/24', '127.0.0.2/32')
        .replace('/var/lib/postgresql/15/main', data)
        .replace('/var/lib/postgresql/.pgpass-patroni', join(folder, `pgpass${number}`))
        .replace('unix_socket_directories: /var/run/postgresql', `unix_socket_directories: ${folder}`)
        // Small disks, and nothing here has to survive a power failure.
        .replace(
          'max_connections: 100',
          "max_connections: 100\n        max_wal_size: 96MB\n        min_wal_size: 32MB\n        wal_keep_size: 32MB\n        fsync: 'off'",
        )
      await writeFile(config, text)
      const node: Node = {
        ...{ name: `db${number}`, port, rest: ports.rest + number, data, etcd },
        patroni: undefined as never,
        async start() {
          node.patroni = start(node.name, 'patroni', [config])
        },
      }
      nodes.push(node)
      await node.start()
      await vi.waitUntil(() => roleOf(node).then((role) => role !== undefined), { timeout: 180_000, interval: 500 })
    }

    const haproxy = (await readFile(join(deployment, 'haproxy-postgresql.cfg'), 'utf8'))
      .replace('127.0.0.1:5000', `127.0.0.1:${ports.haproxy}`)
      .replace(
        /10\.0\.0\.1(\d):5432 check port 8008/g,
        (_, n) => `127.0.0.1:${ports.postgres + Number(n)} check port ${ports.rest + Number(n)}`,
      )
    await writeFile(join(folder, 'haproxy.cfg'), haproxy)
    start('haproxy', 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')])

    const users = loginRoles.map((role) => `"${role}" "${rolePassword(testSecretKey, role)}"\n`)
    await writeFile(join(folder, 'userlist.txt'), users.join(''))
    const pgbouncer = (await readFile(join(deployment, 'pgbouncer.ini'), 'utf8'))
      .replace('port=5000', `port=${ports.haproxy}`)
      .replace('listen_port = 6432', `listen_port = ${ports.pgbouncer}`)
      .replace('/etc/pgbouncer/userlist.txt', join(folder, 'userlist.txt'))
    await writeFile(join(folder, 'pgbouncer.ini'), pgbouncer)
    start('pgbouncer', 'pgbouncer', [join(folder, 'pgbouncer.ini')])
    return { folder, nodes, pgbouncer: ports.pgbouncer, stop }
  } catch (error) {
    for (const { name } of nodes)
      console.log((await readFile(join(folder, `${name}.log`), 'utf8').catch(() => '')).slice(-3_000))
    await stop()
    throw error
  }
}

/** What Patroni says of its server: 'primary' and 'replica' once it runs, 'sync_standby' when writes wait for it. */
export async function roleOf({ rest }: Node): Promise<'primary' | 'sync_standby' | 'replica' | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${rest}/patroni`, { signal: AbortSignal.timeout(5_000) })
    const { state, role, sync_standby } = (await response.json()) as Record<string, unknown>
    if (state !== 'running') return undefined
    if (role === 'master' || role === 'primary') {
      const leads = await fetch(`http://127.0.0.1:${rest}/primary`, { signal: AbortSignal.timeout(5_000) })
      return leads.ok ? 'primary' : undefined
    }
    return sync_standby ? 'sync_standby' : 'replica'
  } catch {
    return undefined
  }
}

/** Waits until there is a primary and a standby for which its writes wait. */
export async function whole({ nodes }: Cluster): Promise<{ primary: Node; standby: Node }> {
  let found: { primary: Node; standby: Node } | undefined
  const look = async () => {
    const roles = await Promise.all(nodes.map(roleOf))
    const primary = nodes[roles.indexOf('primary')]
    const standby = nodes[roles.indexOf('sync_standby')]
    found = primary && standby ? { primary, standby } : undefined
    return found !== undefined
  }
  await vi.waitUntil(look, { timeout: 200_000, interval: 500 })
  return found as { primary: Node; standby: Node }
}

/** The administrator's connection string with all nodes in it. */
export function adminUrl({ nodes }: Cluster, database = 'studio_inventory'): string {
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const asked = 'target_session_attrs=read-write&connect_timeout=3'
  return readPostgresUrl(`postgresql://postgres:${superuser}@${hosts}/${database}?${asked}`).url
}

export const urlOfNode = ({ port }: Node, database = 'postgres') =>
  `postgresql://postgres:${superuser}@127.0.0.1:${port}/${database}`

/** Kills a server of PostgreSQL with all of its processes; nothing when it does not run. */
export async function killPostgres(data: string): Promise<void> {
  const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  if (pid) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {}
  }
}
