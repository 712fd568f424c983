import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { asAdmin, asOwner, createTestDatabase, type TestDatabase, withClient } from '../support/server.ts'
import { envFor, startCli } from './run.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  database = await createTestDatabase()
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-interrupted-'))
  await asOwner(database, (owner) => owner.query(`select access.create_studio('Stopped', 'ona@works.example', 'Ona')`))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await database.drop()
})

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s in the middle of an import ends it with %i, says that nothing was imported, and nothing was',
  async (signal, status) => {
    const path = join(folder, 'items.csv')
    await writeFile(path, 'external_key,name\nA,One\nB,Two\n')
    await withClient(database.adminUrl, async (other) => {
      await other.query('begin; lock table app.items in exclusive mode')
      const importing = startCli(['import', 'items', path, '--studio', 'Stopped'], envFor(database))
      let told = ''
      importing.child.stderr.on('data', (text) => {
        told += text
      })
      await vi.waitFor(() => expect(told).toContain('Writing 2 items …'), { timeout: 20_000 })
      importing.child.kill(signal)
      const ended = await importing.ended
      expect(ended).toMatchObject({ status, stdout: '' })
      expect(ended.stderr).toMatch(/\nstudio-inventory: interrupted: nothing was imported\n$/)
      await other.query('rollback')
    })
    const items = await asAdmin(database, (admin) => admin.query('select from app.items'))
    expect(items.rowCount).toBe(0)
  },
)
