import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { useFolder } from '../support/folder.ts'

const documented = join(import.meta.dirname, '../../docs/deployment')
const folder = useFolder()
const graphql = 'studio-inventory-graphql.service'

describe.each([
  ['studio-inventory@.service', 'studio-inventory@3001.service', /^Environment=PORT=%i$/m, 'serve'],
  [graphql, graphql, /^Environment=GRAPHQL_PORT=3101$/m, 'graphql'],
])('%s', (name, instance, port, command) => {
  test('listens on its port, and may take as long to end as the service does', async () => {
    const unit = await readFile(join(documented, name), 'utf8')
    expect(unit).toMatch(port)
    expect(unit).toMatch(new RegExp(`^ExecStart=.* studio-inventory ${command}$`, 'm'))
    const { shutdownDelayMs, shutdownTimeoutMs } = readConfig({})
    const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])
    expect(seconds * 1_000).toBeGreaterThan(shutdownDelayMs + shutdownTimeoutMs)
  })

  test('is taken by systemd, where it is installed', async () => {
    const run = promisify(execFile)
    const isInstalled = await run('systemd-analyze', ['--version']).catch(() => false)
    const copy = await folder.file(instance, await readFile(join(documented, name)))
    const said = isInstalled ? await run('systemd-analyze', ['verify', copy]) : { stdout: '', stderr: '' }
    expect(said.stdout + said.stderr).not.toContain(`${instance}:`)
  })
})
