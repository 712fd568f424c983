import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loginRoles, rolePassword } from '../../src/database/roles.ts'
import { findPort } from '../../src/http/listener.ts'
import { accepts } from './embedded.ts'
import { testSecretKey } from './server.ts'

const program = process.env.PGBOUNCER_PATH ?? '/usr/sbin/pgbouncer'

/** A PgBouncer in front of a server, which lends a connection for one transaction. */
export type Pooler = {
  port: number
  process: ChildProcess
  /** The same database through the pooler. */
  reach(url: string): string
  /** Replaces `users.txt` and lets PgBouncer read it. */
  reload(users: string): Promise<void>
  stop(): Promise<void>
}

/** The content of `users.txt`: the service's logins, with the passwords of a secret key. */
export const usersOf = (secretKey: string) =>
  loginRoles.map((role) => `"${role}" "${rolePassword(secretKey, role)}"\n`).join('')

/** Starts Debian's PgBouncer with few connections, so that clients share them. */
export function startPooler(databaseUrl: string, connections = 3, ownPort = 0): Promise<Pooler> {
  const { hostname, port: serverPort } = new URL(databaseUrl)
  const configure = (folder: string, port: number) => `[databases]
* = host=${hostname} port=${serverPort || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${folder}/users.txt
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
ignore_startup_parameters = statement_timeout
server_login_retry = 1
query_wait_timeout = 5
`
  return startPgbouncer(configure, usersOf(testSecretKey), ownPort)
}

/** Starts Debian's PgBouncer. @param configure its configuration; `users.txt` of the folder has
 * `users` */
export async function startPgbouncer(
  configure: (folder: string, port: number) => string,
  users: string,
  ownPort = 0,
): Promise<Pooler> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-pgbouncer-'))
  await chmod(folder, 0o755)
  const port = await findPort('127.0.0.1', ownPort)
  await writeFile(join(folder, 'users.txt'), users)
  await writeFile(join(folder, 'pgbouncer.ini'), configure(folder, port))
  const child = spawn(program, [...asSomebodyElse(), join(folder, 'pgbouncer.ini')], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (text) => (said = `${said}${text}`.slice(-4_000)))
  await Promise.race([
    listening(port),
    once(child, 'exit').then(() => Promise.reject(new Error(`PgBouncer ended: ${said}`))),
  ])
  return {
    port,
    process: child,
    reach(url) {
      const other = new URL(url)
      other.host = `127.0.0.1:${port}`
      return other.href
    },
    async reload(users) {
      await writeFile(join(folder, 'users.txt'), users)
      child.kill('SIGHUP')
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'exit')
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PgBouncer refuses to be root. */
const asSomebodyElse = () => (process.getuid?.() === 0 ? ['-u', 'postgres'] : [])

async function listening(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (await accepts(port)) return
    await sleep(50)
  }
  throw new Error(`nothing listens on port ${port}`)
}
