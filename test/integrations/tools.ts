import { spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The project's folder, and that of the recipes. */
export const project = join(import.meta.dirname, '../..')
export const recipes = join(project, 'integrations')

/** What a program said and how it ended. */
export type Run = { status: number | null; stdout: string; stderr: string }

/** No tool tells its maker that it ran, or looks for a newer one. */
const silence = { DO_NOT_TRACK: '1', NO_UPDATE_NOTIFIER: '1', NO_COLOR: '1', DISABLE_ZAPIER_ANALYTICS: '1' }

/** The file of a tool that is installed here; throws with what to do when none is. */
export async function toolFile(name: string): Promise<string> {
  const file = join(import.meta.dirname, 'node_modules/.bin', name)
  await access(file).catch(() => {
    throw new Error(`${name} is not installed; run: npm ci --prefix test/integrations`)
  })
  return file
}

/** Runs a JavaScript tool by the Node that runs this one, to its end. */
export async function runTool(name: string, args: readonly string[], options: RunOptions = {}): Promise<Run> {
  return run(process.execPath, [await toolFile(name), ...args], options)
}

export type RunOptions = { cwd?: string; env?: NodeJS.ProcessEnv }

export function run(
  program: string,
  args: readonly string[],
  { cwd = project, env = {} }: RunOptions = {},
): Promise<Run> {
  const child = spawn(program, args, {
    cwd,
    env: { ...process.env, ...silence, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk: Buffer) => {
    said.stdout += chunk
  })
  child.stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (status) => resolve({ status, ...said }))
  })
}

/** A library that is installed here, as a program without types of it asks for it. */
export const requireTool = createRequire(join(import.meta.dirname, 'package.json'))
