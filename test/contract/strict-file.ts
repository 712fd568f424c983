import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describedApi } from '../openapi/described.ts'
import { strictly } from '../openapi/strict.ts'

/** Writes the strict description to a file, for Prism; `remove` when it is no longer needed. */
export async function writeStrictDescription(): Promise<{ file: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-description-'))
  const file = join(folder, 'openapi.json')
  await writeFile(file, JSON.stringify(strictly(describedApi())))
  return { file, remove: () => rm(folder, { recursive: true, force: true }) }
}
