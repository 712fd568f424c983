import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../integrations/tools.ts'

/** What a program said and how it ended. */
export type Run = { status: number | null; output: string }

/** The checked-in description. */
export const descriptionFile = join(import.meta.dirname, '../../docs/openapi.yaml')

/** No tool reports to its maker that it ran, or looks for a newer version. */
const silence = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }

/** Runs a JavaScript program that is installed here by the Node that runs this one, to its end; throws with what
 * to do when it is not installed. */
export async function runTool(name: string, args: readonly string[], cwd = import.meta.dirname): Promise<Run> {
  const file = join(import.meta.dirname, 'node_modules/.bin', name)
  await access(file).catch(() => {
    throw new Error(`${name} is not installed; run: npm ci --prefix test/contract`)
  })
  const { status, stdout, stderr } = await run(process.execPath, [file, ...args], { cwd, env: silence })
  return { status, output: stdout + stderr }
}
