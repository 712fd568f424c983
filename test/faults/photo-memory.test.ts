import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-photos-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What a process of 400 MB has left beside the service itself. All at once would take some 600. */
const maxBytes = 223 * 2 ** 20

const opener = fileURLToPath(new URL('photo-memory-process.ts', import.meta.url))

async function openTwelve(edge: number): Promise<{ shown: number; bytes: number }> {
  const file = join(folder, `${edge}.jpg`)
  await sharp({ create: { width: edge, height: edge, channels: 3, background: '#336699' } })
    .jpeg({ progressive: true, chromaSubsampling: '4:4:4' })
    .toFile(file)
  const { stdout } = await promisify(execFile)(process.execPath, [opener, file])
  return JSON.parse(stdout)
}

it('twelve progressive JPEGs of 25 megapixels, opened at once, take less than 223 MB', async () => {
  const { shown, bytes } = await openTwelve(4_990)
  expect(shown).toBe(12)
  expect(bytes).toBeLessThan(maxBytes)
}, 120_000)

it('twelve of 119 megapixels, which are too large, take no more', async () => {
  const { shown, bytes } = await openTwelve(10_900)
  expect(shown).toBe(0)
  expect(bytes).toBeLessThan(maxBytes)
}, 120_000)
