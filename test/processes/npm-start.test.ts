import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { serverOf, statusOf, stopServerOf } from '../support/embedded.ts'
import { useFolder } from '../support/folder.ts'

/** The service with its demo, as the README says to start it. */
const project = join(import.meta.dirname, '../..')
const run = promisify(execFile)
const timeout = 120_000
vi.setConfig({ testTimeout: 3 * timeout })
const folder = useFolder()
afterAll(() => stopServerOf(folder.path))

async function start() {
  const port = await findPort('127.0.0.1', 0)
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, DATA_DIR: folder.path, PORT: String(port) }
  const npm = spawn('npm', ['start'], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const group = -(npm.pid as number)
  // Kills the whole group, with everything that a failed test has left behind.
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
  const readiness = () => statusOf(`http://127.0.0.1:${port}/readyz`)
  return { npm, group, readiness, output: () => output }
}

test.each([
  ['Ctrl-C, which the terminal gives to npm and the service,', 'SIGINT', true],
  ['SIGTERM to npm alone', 'SIGTERM', false],
] as const)('%s shuts the service down gracefully, then PostgreSQL', async (_what, signal, toGroup) => {
  const { npm, group, readiness, output } = await start()
  await vi.waitFor(() => expect(output()).toContain('"msg":"listening"'), { timeout, interval: 50 })
  await vi.waitFor(async () => expect(await readiness()).toBe(200), { timeout, interval: 50 })
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
  await vi.waitFor(async () => expect(await serverOf(folder.path)).toBeUndefined(), { timeout, interval: 50 })
  expect(await readiness()).toBe(0)
  expect(output()).not.toMatch(/"level":"(error|fatal)"/)
})
