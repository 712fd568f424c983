import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'

/** Gives the test file a folder, into which every user may look. To be called at the top. */
export function useFolder() {
  const folder = { path: '' }
  const at = (name: string) => join(folder.path, name)
  beforeAll(async () => {
    folder.path = await mkdtemp(join(tmpdir(), 'studio-inventory-test-'))
    await chmod(folder.path, 0o755)
  })
  afterAll(() => rm(folder.path, { recursive: true, force: true }))
  return Object.assign(folder, {
    at,
    /** Writes a file, and gives its path. */
    async file(name: string, content: string | Buffer): Promise<string> {
      await mkdir(dirname(at(name)), { recursive: true })
      await writeFile(at(name), content)
      return at(name)
    },
  })
}
