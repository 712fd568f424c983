import { execFile } from 'node:child_process'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'

const releases = join(import.meta.dirname, 'releases')

/** Unpacks the last release, with the packages of this checkout. @returns its version */
export async function unpackLastRelease(folder: string): Promise<string> {
  const [archive = '', ...others] = await readdir(releases)
  if (!archive.endsWith('.tgz') || others.length > 0) throw new Error(`${releases} has to have one archive`)
  await mkdir(folder, { recursive: true })
  await promisify(execFile)('tar', ['-xzf', join(releases, archive), '-C', folder])
  await symlink(join(import.meta.dirname, '../../node_modules'), join(folder, 'node_modules'))
  return basename(archive, '.tgz')
}
