import { chown, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scramVerifier } from '../schema/passwords.ts'
import { type Account, findPrograms, mayEnter, reachableFolder, runAs, serverAccount } from './programs.ts'
import { keepSecret, unless } from './secret.ts'

/** A data directory, with the programs that run it and their account. */
export type Cluster = { directory: string; programs: string; account: Account }

const making = new Map<string, Promise<Cluster>>()

/** Makes a data folder's missing data directory. Its name (or a link to it) appears when it is
 * complete. Called again meanwhile, it waits for the same. @param programs other programs' `bin`
 * @param begun called when initdb runs */
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
    // The file has only the verifier, which is useless after a crash.
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
