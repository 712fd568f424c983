import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ImportFailed, type startImport } from '../../src/importer/process.ts'
import { importHere, useImportConsole } from './import-here.ts'
import { items } from './import-support.ts'
import type { Visitor } from './support.ts'

/** How the imports of a test end instead; undefined: by themselves. */
let instead: 'never' | 'Timeout' | 'Stopping' | undefined
let begun = 0
const run: typeof startImport = (job) => {
  begun += 1
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  const fail = (reason: string) => reject(new ImportFailed('ended', reason, undefined))
  if (instead !== undefined && instead !== 'never') fail(instead)
  return { outcome: instead === undefined ? importHere(job) : promise, end: async () => fail('Stopping') }
}
const { world, path, as } = useImportConsole(run)

let owner: Visitor
beforeEach(async () => {
  instead = undefined
  owner = await as(world.cast.a.people.owner)
})

/** Uploads a file; the address of its preview, which is not opened. */
async function upload(names: Record<string, string>): Promise<string> {
  const sent = await owner.upload(path(), { kind: 'items', from: 'guess' }, { name: 'gear.csv', file: items(names) })
  return sent.location ?? ''
}
const ask = (at: string, init: RequestInit) =>
  fetch(`${world.service.url}${at}`, {
    ...init,
    headers: { Cookie: [...owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
  })

describe('a preview', () => {
  it('that its reader leaves ends, and the next one starts at once', async () => {
    const at = await upload({ left: 'Left' })
    instead = 'never'
    for (let count = 0; count < 3; count += 1) {
      const before = begun
      const leave = new AbortController()
      const left = ask(at, { signal: leave.signal }).catch((error: Error) => error.name)
      await vi.waitUntil(() => begun > before, { timeout: 20_000 })
      leave.abort()
      expect(await left).toBe('AbortError')
    }
    instead = undefined
    const shown = await owner.get(at)
    expect([shown.status, shown.text.includes('1 row: 1 to add')]).toEqual([200, true])
  })

  it.each([
    ['Timeout', 413, 'The file took more than 5 minutes, so nothing was imported. Split it'],
    ['Stopping', 503, 'The service is restarting, so nothing was imported.'],
  ] as const)('that ends by %s says what to do', async (reason, status, why) => {
    const at = await upload({ [reason]: reason })
    instead = reason
    const shown = await owner.get(at)
    expect(shown.status).toBe(status)
    expect(shown.text).toContain(why)
  })
})
