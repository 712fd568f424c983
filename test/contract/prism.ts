import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { findPort } from '../../src/http/listener.ts'
import { toolFile } from './tools.ts'

/** Prism's validating proxy, running. */
export type Prism = { url: string; stop(): Promise<void> }

/** Starts Prism before a service: it answers 500 to a response that is not as described, and 422
 * to such a request. */
export async function startPrism(file: string, upstream: string): Promise<Prism> {
  const port = await findPort('127.0.0.1', 0)
  const options = ['--errors', '--validate-request=true', '--port', String(port)]
  const program = await toolFile('prism')
  const child = spawn(process.execPath, [program, 'proxy', file, upstream, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'close')
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    child.kill()
    await ended
  }
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => {
    if (said.length < 50) said.push(chunk)
  })
  for (let attempt = 1; attempt <= 150; attempt++) {
    if (await fetch(url).catch(() => null)) return { url, stop }
    if (child.exitCode !== null) break
    await sleep(200)
  }
  await stop()
  throw new Error(`Prism did not start:\n${Buffer.concat(said)}`)
}

/** What Prism says against an exchange; null when it passed the service's answer on. */
export function verdictOf(body: string): string | null {
  if (!body.includes('stoplight.io/prism')) return null
  const { title, detail, validation }: Verdict = JSON.parse(body)
  const faults = validation?.map(({ location, message }) => `${location?.join('.')}: ${message}`) ?? [detail]
  return `${title}: ${faults.join('; ')}`
}

type Verdict = { title: string; detail: string; validation?: { location?: string[]; message: string }[] }
