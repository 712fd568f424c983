import { spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import { join } from 'node:path'

/** What a program said and how it ended. */
export type Run = { status: number | null; output: string }

/** The checked-in description. */
export const descriptionFile = join(import.meta.dirname, '../../docs/openapi.yaml')

/** No tool reports to its maker that it ran, or looks for a newer version. */
const silence = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' }

/** The file of a tool that is installed here; throws with what to do when none is. */
export async function toolFile(name: string): Promise<string> {
  const file = join(import.meta.dirname, 'node_modules/.bin', name)
  await access(file).catch(() => {
    throw new Error(`${name} is not installed; run: npm ci --prefix test/contract`)
  })
  return file
}

/** Runs a JavaScript program by the Node that runs this one, to its end. */
export async function runTool(name: string, args: readonly string[], cwd = import.meta.dirname): Promise<Run> {
  return runNode([await toolFile(name), ...args], cwd)
}

export function runNode(args: readonly string[], cwd: string): Promise<Run> {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...silence } })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, output: Buffer.concat(said).toString() }))
  })
}
