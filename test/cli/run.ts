import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { type TestDatabase, testSecretKey } from '../support/server.ts'

const bin = join(import.meta.dirname, '../../src/cli/main.ts')

export type Outcome = { status: number | null; stdout: string; stderr: string }

/** No other environment variable affects a command. A shared compile cache halves the start. */
const compiled = join(import.meta.dirname, '../../node_modules/.cache/node')
const bare = { PATH: process.env.PATH, HOME: process.env.HOME, NODE_COMPILE_CACHE: compiled }

/** Runs the real bin to its end. */
export async function runCli(args: string[], env: Record<string, string | undefined> = {}): Promise<Outcome> {
  const child = startCli(args, env)
  return child.ended
}

/** Starts the real command, or that of another checkout (`main`). `output` has what it has printed
 * so far. */
export function startCli(args: string[], env: Record<string, string | undefined> = {}, main = bin) {
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...bare, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const ended = new Promise<Outcome>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, stdout, stderr }))
  })
  return { child, ended, output: () => stdout }
}

/** The environment of a command on a test database. */
export function envFor(database: TestDatabase, more: Record<string, string> = {}): Record<string, string> {
  return { DATABASE_URL: database.adminUrl, SECRET_KEY: testSecretKey, ...more }
}
