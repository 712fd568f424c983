import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'

const folder = join(import.meta.dirname, '../../docs/deployment')

describe.each([
  ['studio-inventory@.service', 'studio-inventory@3001.service', /^Environment=PORT=%i$/m, 'serve'],
  [
    'studio-inventory-graphql.service',
    'studio-inventory-graphql.service',
    /^Environment=GRAPHQL_PORT=3101$/m,
    'graphql',
  ],
])('%s', (name, instance, port, command) => {
  test('listens on its port, and may take as long to end as the service does', async () => {
    const unit = await readFile(join(folder, name), 'utf8')
    expect(unit).toMatch(port)
    expect(unit).toMatch(new RegExp(`^ExecStart=.* studio-inventory ${command}$`, 'm'))
    const { shutdownDelayMs, shutdownTimeoutMs } = readConfig({})
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    expect(seconds * 1_000).toBeGreaterThan(shutdownDelayMs + shutdownTimeoutMs)
  })

  test('is taken by systemd, where it is installed', async () => {
    const run = promisify(execFile)
    const installed = await run('systemd-analyze', ['--version']).then(
      () => true,
      () => false,
    )
    const copies = await mkdtemp(join(tmpdir(), 'studio-inventory-unit-'))
    const copy = join(copies, instance)
    await copyFile(join(folder, name), copy)
    const said = installed ? await run('systemd-analyze', ['verify', copy]) : { stdout: '', stderr: '' }
    await rm(copies, { recursive: true })
    expect(said.stdout + said.stderr).not.toContain(`${instance}:`)
  })
})
