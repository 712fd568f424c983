import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'

const file = join(import.meta.dirname, '../../docs/deployment/studio-inventory@.service')
const unit = await readFile(file, 'utf8')

test('each instance listens on the port in its name, and may take as long to end as the service does', () => {
  expect(unit).toMatch(/^Environment=PORT=%i$/m)
  expect(unit).toMatch(/^ExecStart=.* studio-inventory serve$/m)
  const { shutdownDelayMs, shutdownTimeoutMs } = readConfig({})
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
  expect(seconds * 1_000).toBeGreaterThan(shutdownDelayMs + shutdownTimeoutMs)
})

test('systemd takes the unit, where it is installed', async () => {
  const run = promisify(execFile)
  const installed = await run('systemd-analyze', ['--version']).then(
    () => true,
    () => false,
  )
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-unit-'))
  const copy = join(folder, 'studio-inventory@3001.service')
  await copyFile(file, copy)
  const said = installed ? await run('systemd-analyze', ['verify', copy]) : { stdout: '', stderr: '' }
  await rm(folder, { recursive: true })
  expect(said.stdout + said.stderr).not.toContain('studio-inventory@3001.service:')
})
