import { writeFile } from 'node:fs/promises'
import { beforeAll, expect, test, vi } from 'vitest'
import { asAdmin, asOwner, withClient } from '../support/server.ts'
import { useCli } from './here.ts'
import { startCli } from './run.ts'

const cli = useCli()
beforeAll(async () => {
  await asOwner(cli.database, (owner) =>
    owner.query(`select access.create_studio('Stopped', 'ona@works.example', 'Ona')`),
  )
})
test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)(
  '%s in the middle of an import ends it with %i, says that nothing was imported, and nothing was',
  async (signal, status) => {
    const path = cli.at('items.csv')
    await writeFile(path, 'external_key,name\nA,One\nB,Two\n')
    await withClient(cli.database.adminUrl, async (other) => {
      await other.query('begin; lock table app.items in exclusive mode')
      const importing = startCli(['import', 'items', path, '--studio', 'Stopped'], cli.env())
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
    const items = await asAdmin(cli.database, (admin) => admin.query('select from app.items'))
    expect(items.rowCount).toBe(0)
  },
)
