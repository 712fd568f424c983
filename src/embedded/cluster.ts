import { randomBytes } from 'node:crypto'
import { chown, link, mkdir, mkdtemp, readFile, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { scramVerifier } from '../migration/passwords.ts'
import { type Account, findPrograms, mayEnter, reachableFolder, runAs, serverAccount } from './programs.ts'

/** The data directory of a PostgreSQL server, its programs, and the system user that runs it. */
export type Cluster = { directory: string; programs: string; account: Account }

const making = new Map<string, Promise<Cluster>>()

/** Makes the data directory of a data folder, if it is missing. Its name (or a link to it) appears
 * when it is complete. A second call meanwhile waits for the first one and gets the same result.
 * @param programs the `bin` of another PostgreSQL
 * @param begun is called when initdb runs */
export function openCluster(folder: string, programs?: string, begun?: () => void): Promise<Cluster> {
  const made = making.get(folder) ?? makeCluster(folder, programs, begun).finally(() => making.delete(folder))
  making.set(folder, made)
  return made
}

async function makeCluster(folder: string, given: string | undefined, begun?: () => void): Promise<Cluster> {
  await mkdir(folder, { recursive: true })
  const password = await keepSecret(join(folder, 'postgres-password'))
  const name = join(folder, 'postgres')
  const account = await serverAccount([name, folder])
  const programs = given ?? (await findPrograms(account))
  const cluster = async () => ({ account, programs, directory: await realpath(name) })
  if (await realpath(name).catch(unless('ENOENT'))) return cluster()
  const here = await mayEnter(account, folder)
  if (!here) await mkdir(reachableFolder, { recursive: true })
  const draft = await mkdtemp(join(here ? folder : reachableFolder, 'postgres-'))
  const [data, verifier] = [join(draft, 'data'), join(draft, 'verifier')]
  try {
    // The file has only the password's verifier, which helps nobody if a crash leaves it behind.
    await writeFile(verifier, `${scramVerifier(password)}\n`, { mode: 0o600 })
    if (account) for (const path of [draft, verifier]) await chown(path, account.uid, account.gid)
    const access = ['--username=postgres', `--pwfile=${verifier}`, '--auth=scram-sha-256']
    // PostgreSQL 17 sorts and changes case by Unicode, the same on every system.
    const builtin = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8']
    const form = ['--encoding=UTF8', '--no-sync', ...(given ? ['--locale=C.UTF-8'] : builtin)]
    const running = runAs(account, join(programs, 'initdb'), '-D', data, ...access, ...form)
    begun?.()
    const { ok, output } = await running
    if (!ok) throw new Error(`initdb cannot make ${name}, set DATABASE_URL to use another server: ${output}`)
    await (here ? rename(data, name) : symlink(data, name)).catch(unless('ENOTEMPTY', 'EEXIST'))
    return await cluster()
  } finally {
    await rm(here ? draft : verifier, { recursive: true, force: true })
  }
}

/** Reads a secret from its file, or writes 32 random bytes there. All processes get the same. */
export async function keepSecret(path: string): Promise<string> {
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  // Root may work in another user's folder.
  const { uid, gid } = await stat(dirname(path))
  if (process.getuid?.() === 0) await chown(draft, uid, gid)
  await link(draft, path).catch(unless('EEXIST'))
  await rm(draft)
  const secret = (await readFile(path, 'utf8')).trim()
  if (secret.length >= 32) return secret
  throw new Error(`${path} is damaged: it should contain a secret of at least 32 characters`)
}

/** Throws all errors except those with these codes. */
export const unless =
  (...expected: string[]) =>
  (error: NodeJS.ErrnoException) => {
    if (!expected.includes(error.code ?? '')) throw error
  }
