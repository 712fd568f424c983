import { randomBytes } from 'node:crypto'
import { chown, link, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

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
