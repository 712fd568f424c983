import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const source = join(import.meta.dirname, '../../src')

/** A process that shuts down gracefully. Its closing waits for `closing`. */
async function start(closing: string, body = 'setInterval(() => undefined, 1000)') {
  const script = `
    import { makeLogger } from '${source}/log.ts'
    import { shutDownGracefully } from '${source}/service/signals.ts'
    const close = () => { console.log('closing'); return ${closing} }
    const announce = async () => console.log('announced')
    shutDownGracefully(Promise.resolve({ announce, close }), makeLogger({ level: 'info' }))
    console.log('up')
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  const status = new Promise<number | null>((resolve) => child.on('close', resolve))
  onTestFinished(() => void child.kill('SIGKILL'))
  await vi.waitUntil(() => output.includes('up\n'), { timeout: 20_000, interval: 10 })
  return { child, status, output: () => output }
}

const pause = (milliseconds: number) => `new Promise((resolve) => setTimeout(resolve, ${milliseconds}))`

test.each(['SIGTERM', 'SIGINT'] as const)('%s closes and exits with 0', async (signal) => {
  const { child, status, output } = await start(pause(50))
  child.kill(signal)
  expect(await status).toBe(0)
  expect(output()).toMatch(/announced\nclosing/)
  for (const line of ['"stopping"', '"stopped"']) expect(output()).toContain(line)
})

test('failing to close is logged and exits with 1', async () => {
  const { child, status, output } = await start(`Promise.reject(new Error('stuck'))`)
  child.kill('SIGTERM')
  expect(await status).toBe(1)
  expect(output()).toContain('"reason":"stuck"')
})
