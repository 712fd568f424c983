import { fork } from 'node:child_process'
import { once } from 'node:events'
import { getPriority } from 'node:os'
import { pathToFileURL } from 'node:url'
import { expect, test, vi } from 'vitest'
import { startChild } from '../../src/child-process/start-child.ts'
import { runs } from '../support/embedded.ts'
import { useFolder } from '../support/folder.ts'

const slow = { timeout: 30_000 }
const source = (name: string) => JSON.stringify(new URL(`../../src/child-process/${name}.ts`, import.meta.url).href)
const folder = useFolder()

async function moduleOf(name: string, lines: readonly string[]): Promise<URL> {
  const text = [`import { endWithParent, sendToParent } from ${source('end-with-parent')}`, ...lines].join('\n')
  return pathToFileURL(await folder.file(`${name}.mjs`, text))
}

/** Starts a module as a child process. `messages` and `failures` have what came of it. */
async function start(name: string, lines: readonly string[], memoryMb = 64) {
  const [messages, failures]: [unknown[], Error[]] = [[], []]
  const task = startChild<object, unknown>(
    await moduleOf(name, lines),
    { memoryMb },
    { message: (received) => messages.push(received), failed: (error) => failures.push(error) },
  )
  return { task, messages, failures }
}

const echo = ['endWithParent()', 'process.on("message", (message) => sendToParent(message))']

test('a task sees no variable of the service but those of Node', async () => {
  vi.stubEnv('SECRET_KEY', 'a secret')
  const { task, messages } = await start('environment', ['endWithParent()', 'sendToParent(process.env)'])
  vi.unstubAllEnvs()
  await vi.waitUntil(() => messages.length === 1, slow)
  expect(messages[0]).not.toHaveProperty('SECRET_KEY')
  await task.end()
})

test.each([
  ['memory', 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length))', 'it needed more than 64 MB'],
  ['exit', 'process.exit(7)', 'its process ended with exit code 7'],
  ['kill', 'process.kill(process.pid, "SIGKILL")', 'its process was ended by SIGKILL'],
])('a task that ends by itself (%s) fails once, with an error that says how', async (name, line, words) => {
  const { task, failures } = await start(name, ['endWithParent()', line])
  await vi.waitUntil(() => failures.length > 0, slow)
  await task.end()
  expect(failures.map(({ message }) => message)).toEqual([words])
})

test('a task lets requests have the processors first', async () => {
  const { task } = await start('priority', echo)
  expect(getPriority(task.pid)).toBeGreaterThan(getPriority())
  await task.end()
})

test('the signals of a terminal and a supervisor leave a task to its parent', async () => {
  const { task, messages } = await start('signals', echo)
  task.send({ first: true })
  await vi.waitUntil(() => messages.length === 1, slow)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.kill(task.pid ?? 0, signal)
  task.send({ second: true })
  await vi.waitUntil(() => messages.length === 2, slow)
  await task.end()
})

test('a task ends with its parent, however that ends', async () => {
  const child = await moduleOf('left', [...echo, 'sendToParent({ pid: process.pid })'])
  const parent = await moduleOf('parent', [
    `import { startChild } from ${source('start-child')}`,
    `startChild(new URL(${JSON.stringify(child.href)}), { memoryMb: 64 }, { message: sendToParent, failed: () => undefined })`,
  ])
  const started = fork(parent, { execArgv: process.execArgv })
  const [{ pid }] = await once(started, 'message')
  expect(await runs(pid)).toBe(true)
  started.kill('SIGKILL')
  await vi.waitUntil(async () => !(await runs(pid)), slow)
})
