import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { findServer, stopServer } from '../../src/dev/embedded/running.ts'
import { findPort } from '../../src/http/listener.ts'
import { identify, isRunning } from '../../src/process/identity.ts'

/** The service with its demo, as the README says to start it. */
const project = join(import.meta.dirname, '../..')
const timeout = 120_000
vi.setConfig({ testTimeout: 3 * timeout })
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-npm-'))
  await chmod(folder, 0o755)
})
afterAll(async () => {
  const server = await findServer(join(folder, 'postgres'))
  if (server) await stopServer(server)
  await rm(folder, { recursive: true, force: true })
})

async function start() {
  const port = await findPort('127.0.0.1', 0)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder, PORT: String(port) }
  const npm = spawn('npm', ['start'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  // The whole group: whatever a failed test leaves behind.
  onTestFinished(() => {
    try {
      process.kill(-(npm.pid as number), 'SIGKILL')
    } catch {}
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const url = `http://127.0.0.1:${port}`
  const readiness = () =>
    fetch(`${url}/readyz`).then(
      ({ status }) => status,
      () => 0,
    )
  await vi.waitFor(() => expect(output).toContain('"msg":"listening"'), { timeout, interval: 50 })
  await vi.waitFor(async () => expect(await readiness()).toBe(200), { timeout, interval: 50 })
  const server = await findServer(join(folder, 'postgres'))
  const postgres = (await identify(server?.pid ?? 0)) ?? expect.fail('no PostgreSQL runs')
  return { npm, port, readiness, output: () => output, postgres }
}

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'when npm alone gets %s the service shuts down gracefully, and its PostgreSQL too',
  async (signal) => {
    const { npm, readiness, postgres, output } = await start()
    npm.kill(signal)
    await once(npm, 'exit')
    await vi.waitFor(async () => expect(await readiness()).toBe(0), { timeout, interval: 50 })
    await vi.waitFor(async () => expect(await isRunning(postgres)).toBe(false), { timeout, interval: 50 })
    await vi.waitFor(() => expect(output()).toContain('"msg":"stopped"'), { timeout, interval: 50 })
  },
)

test('when its PostgreSQL is killed the service says so, starts it again and is ready', async () => {
  const { npm, readiness, postgres, output } = await start()
  process.kill(Number(postgres.split('@')[0]), 'SIGKILL')
  await vi.waitFor(() => expect(output()).toContain('the embedded PostgreSQL runs again'), { timeout, interval: 50 })
  await vi.waitFor(async () => expect(await readiness()).toBe(200), { timeout, interval: 50 })
  expect(output()).toContain('the embedded PostgreSQL has ended; it is started again')
  npm.kill('SIGTERM')
  await vi.waitFor(() => expect(output()).toContain('"msg":"stopped"'), { timeout, interval: 50 })
})
