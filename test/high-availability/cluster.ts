import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { vi } from 'vitest'
import { loginRoles, rolePassword } from '../../src/database/roles.ts'
import { end } from '../scaling/processes.ts'
import { type DatabaseProxy, openProxy } from '../support/proxy.ts'
import { testSecretKey } from '../support/server.ts'
import { type Machine, makeNetwork, type Network } from './network.ts'

export const run = promisify(execFile)
const deployment = join(import.meta.dirname, '../../docs/deployment')

/** Below the ports that systems hand out by themselves. */
const ports = { haproxy: 25000, pgbouncer: 26432 }
const superuser = 'CHANGE-superuser'

/** A database server: PostgreSQL under Patroni on its own machine. The test can cut it off etcd
 * alone. */
export type Node = {
  name: string
  machine: Machine
  data: string
  /** The only way from its Patroni to etcd. */
  etcd: DatabaseProxy
  patroni: ChildProcess
  start(): Promise<void>
}

export type Cluster = { folder: string; nodes: Node[]; pgbouncer: number; stop(): Promise<void> }

/** Starts what docs/high-availability.md describes; db1 to db3 are network namespaces. */
export async function startCluster(): Promise<Cluster> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-ha-'))
  await chmod(folder, 0o777)
  const children: ChildProcess[] = []
  const mounts: string[] = []
  const nodes: Node[] = []
  let network: Network | undefined
  const log = (name: string) => createWriteStream(join(folder, `${name}.log`), { flags: 'a' })

  /** PostgreSQL and PgBouncer refuse to be root. */
  function start(
    name: string,
    [program = '', ...args]: string[],
    { machine, env = {} }: { machine?: Machine; env?: Record<string, string> } = {},
  ): ChildProcess {
    const asPostgres =
      process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'] : []
    const [command = '', ...rest] = [...(machine?.enter ?? []), ...asPostgres, program, ...args]
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
    await network?.remove()
    await rm(folder, { recursive: true, force: true })
  }

  try {
    network = await makeNetwork(['db1', 'db2', 'db3'])
    const { here, machines, translate } = network
    const etcdEnv = await readFile(join(deployment, 'etcd.env'), 'utf8')
    for (const [name, machine] of machines) {
      const text = translate(etcdEnv)
        .replace(/^ETCD_(?!INITIAL_CLUSTER=).*_URLS=.*$/gm, (line) =>
          line.replaceAll(translate('10.0.0.11'), machine.address),
        )
        .replace('ETCD_NAME=db1', `ETCD_NAME=${name}`)
        .replace('/var/lib/etcd/studio-inventory', join(folder, `etcd-${name}`))
      const env = Object.fromEntries([...text.matchAll(/^(ETCD_\w+)=(.*)$/gm)].map(([, key, value]) => [key, value]))
      start(`etcd-${name}`, ['etcd'], { machine, env })
    }
    const health = async () => (await fetch(`http://${machines.get('db1')?.address}:2379/health`)).ok
    await vi.waitUntil(() => health().catch(() => false), { timeout: 120_000, interval: 500 })

    for (const name of ['db1', 'db2']) {
      const machine = machines.get(name) as Machine
      const disk = join(folder, `disk-${name}`)
      await mkdir(disk)
      // A disk of its own, small enough to be filled.
      await run('mount', ['-t', 'tmpfs', '-o', 'size=600m,mode=0777', 'tmpfs', disk])
      mounts.push(disk)
      const etcd = await openProxy(`postgres://x@${machine.address}:2379/x`, here)
      const config = join(folder, `patroni-${name}.yml`)
      const data = join(disk, 'main')
      const text = translate(await readFile(join(deployment, 'patroni.yml'), 'utf8'))
        // Proxies do not get the addresses of the members, because clients could then pass them by.
        .replace(/hosts: .*:2379/, `hosts: ${new URL(etcd.reach('postgres://x@x/x')).host}\n  use_proxies: true`)
        .replace('name: db1', `name: ${name}`)
        .replaceAll(`${translate('10.0.0.11')}:`, `${machine.address}:`)
        .replace('/var/lib/postgresql/15/main', data)
        .replace('/var/lib/postgresql/.pgpass-patroni', join(folder, `pgpass-${name}`))
        .replace('unix_socket_directories: /var/run/postgresql', `unix_socket_directories: ${disk}`)
        // The disks are small, and nothing here has to survive a power failure.
        .replace(
          'max_connections: 100',
          "max_connections: 100\n        max_wal_size: 96MB\n        min_wal_size: 32MB\n        wal_keep_size: 32MB\n        fsync: 'off'",
        )
      await writeFile(config, text)
      const node: Node = {
        ...{ name, machine, data, etcd },
        patroni: undefined as never,
        async start() {
          node.patroni = start(name, ['patroni', config], { machine })
        },
      }
      nodes.push(node)
      await node.start()
      await vi.waitUntil(() => roleOf(node).then((role) => role !== undefined), { timeout: 180_000, interval: 500 })
    }

    const haproxy = translate(await readFile(join(deployment, 'haproxy-postgresql.cfg'), 'utf8')).replace(
      '127.0.0.1:5000',
      `127.0.0.1:${ports.haproxy}`,
    )
    await writeFile(join(folder, 'haproxy.cfg'), haproxy)
    start('haproxy', ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')])

    const users = loginRoles.map((role) => `"${role}" "${rolePassword(testSecretKey, role)}"\n`)
    await writeFile(join(folder, 'userlist.txt'), users.join(''))
    const pgbouncer = (await readFile(join(deployment, 'pgbouncer.ini'), 'utf8'))
      .replace('port=5000', `port=${ports.haproxy}`)
      .replace('listen_port = 6432', `listen_port = ${ports.pgbouncer}`)
      .replace('/etc/pgbouncer/userlist.txt', join(folder, 'userlist.txt'))
    await writeFile(join(folder, 'pgbouncer.ini'), pgbouncer)
    start('pgbouncer', ['pgbouncer', join(folder, 'pgbouncer.ini')])
    return { folder, nodes, pgbouncer: ports.pgbouncer, stop }
  } catch (error) {
    for (const { name } of nodes)
      console.log((await readFile(join(folder, `${name}.log`), 'utf8').catch(() => '')).slice(-3_000))
    await stop()
    throw error
  }
}

/** What Patroni says of its server: 'primary' and 'replica' once it runs, 'sync_standby' when
 * writes wait for it. */
export async function roleOf({ machine }: Node): Promise<'primary' | 'sync_standby' | 'replica' | undefined> {
  const rest = `http://${machine.address}:8008`
  try {
    const response = await fetch(`${rest}/patroni`, { signal: AbortSignal.timeout(5_000) })
    const { state, role, sync_standby } = (await response.json()) as Record<string, unknown>
    if (state !== 'running') return undefined
    if (role === 'master' || role === 'primary') {
      const leads = await fetch(`${rest}/primary`, { signal: AbortSignal.timeout(5_000) })
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

/** The administrator's connection string, through HAProxy. */
export const adminUrl = (database = 'studio_inventory') =>
  `postgresql://postgres:${superuser}@127.0.0.1:${ports.haproxy}/${database}`

export const urlOfNode = ({ machine }: Node, database = 'postgres') =>
  `postgresql://postgres:${superuser}@${machine.address}:5432/${database}`

/** Kills a server of PostgreSQL with all of its processes; nothing when it does not run. */
export async function killPostgres(data: string): Promise<void> {
  const [pid] = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')
  if (pid) {
    try {
      process.kill(Number(pid), 'SIGKILL')
    } catch {}
  }
}
