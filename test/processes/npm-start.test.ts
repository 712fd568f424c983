import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { serverOf, stopServerOf } from '../support/embedded.ts'

/** The service with its demo, as the README says to start it. */
const project = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const timeout = 120_000
vi.setConfig({ testTimeout: 3 * timeout })
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'studio-inventory-npm-'))
  await chmod(folder, 0o755)
})
afterAll(async () => {
  await stopServerOf(folder)
  await rm(folder, { recursive: true, force: true })
})

async function start() {
  const port = await findPort('127.0.0.1', 0)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder, PORT: String(port) }
  const npm = spawn('npm', ['start'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const group = -(npm.pid as number)
  // The whole group: whatever a failed test leaves behind.
  onTestFinished(() => {
    try {
      process.kill(group, 'SIGKILL')
    } catch {}
  })
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const readiness = () =>
    fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ status }) => status,
      () => 0,
    )
  return { npm, group, readiness, output: () => output }
}

async function startWhole() {
  const started = await start()
  await vi.waitFor(() => expect(started.output()).toContain('"msg":"listening"'), { timeout, interval: 50 })
  await vi.waitFor(async () => expect(await started.readiness()).toBe(200), { timeout, interval: 50 })
  return started
}

test.each([
  { what: 'Ctrl-C, which the terminal gives to npm and the service,', signal: 'SIGINT', toGroup: true },
  { what: 'SIGTERM to npm alone', signal: 'SIGTERM', toGroup: false },
] as const)('$what shuts the service down gracefully, then PostgreSQL', async ({ signal, toGroup }) => {
  const { npm, group, readiness, output } = await startWhole()
  const exit = once(npm, 'exit')
  // The kernel signals a group in any order: here GraphQL ends first.
  if (toGroup) {
    const graphql = ['-g', String(npm.pid), '-f', 'main.ts graphql$']
    await run('pkill', ['-INT', ...graphql])
    await vi.waitFor(() => expect(run('pgrep', graphql)).rejects.toMatchObject({ code: 1 }), { interval: 20 })
  }
  process.kill(toGroup ? group : (npm.pid as number), signal)
  await exit
  await vi.waitFor(() => expect(output()).toContain('"msg":"stopped"'), { timeout, interval: 50 })
  await vi.waitFor(async () => expect(await serverOf(folder)).toBeUndefined(), { timeout, interval: 50 })
  expect(await readiness()).toBe(0)
  expect(output()).not.toMatch(/"level":"(error|fatal)"/)
})
