import { execFile, spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The system user that the server runs as, when it has to be another one than this process's. */
export type Account = { uid: number; gid: number } | undefined

/** Unprivileged system users, the preferred one first. PostgreSQL refuses a user id that has no user. */
const unprivilegedUsers = ['postgres', 'nobody']

/**
 * Chooses the account of the server. PostgreSQL refuses to run as root: then it is the owner of the data, if that is
 * another user already, else the first of `users` that exists. None is created.
 *
 * @throws when root has none of them
 */
export async function serverAccount(
  dataDirectory: string | undefined,
  dataFolder: string,
  users: readonly string[] = unprivilegedUsers,
): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined
  for (const path of [dataDirectory, dataFolder]) {
    const owner = path === undefined ? undefined : await stat(path).catch(() => undefined)
    if (owner !== undefined && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  }
  for (const user of users) {
    const account = await lookUp(user)
    if (account !== undefined) return account
  }
  throw new Error(
    `PostgreSQL does not run as root; create the system user ${users[0]}, start as an ordinary user, or set DATABASE_URL`,
  )
}

/** Whether the account may enter a folder; that needs permission on every folder above it, too. */
export async function mayEnter(account: Account, folder: string): Promise<boolean> {
  const { code } = await runAs(account, '/bin/sh', ['-c', 'test -x "$1"', 'sh', folder])
  return code === 0
}

/** Runs a program to its end as the account, from the root folder, with next to nothing in its environment. */
export function runAs(account: Account, program: string, args: string[]): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...account, cwd: '/', env: environment(), stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? -1, output: output.trim() }))
  })
}

/** PG… variables and foreign languages of the caller must not reach the server or its tools. */
export function environment(): NodeJS.ProcessEnv {
  return { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
}

async function lookUp(name: string): Promise<Account> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}
