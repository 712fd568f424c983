import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'

const source = join(import.meta.dirname, '../../src')

/** A process that shuts down gracefully. Its closing waits for `closing`. */
async function start(closing: string) {
  const script = `
    import { makeLogger } from '${source}/log.ts'
    import { shutDownGracefully } from '${source}/service/signals.ts'
    const close = () => ${closing}
    shutDownGracefully(Promise.resolve({ announce: async () => undefined, close }), makeLogger({ level: 'info' }))
    console.log('up')
    setInterval(() => undefined, 1000)`
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

test('failing to close is logged and exits with 1', async () => {
  const { child, status, output } = await start(`Promise.reject(new Error('stuck'))`)
  child.kill('SIGTERM')
  expect(await status).toBe(1)
  expect(output()).toContain('"reason":"stuck"')
})
