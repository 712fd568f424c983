import { type Command, CommanderError } from 'commander'
import { expect, vi } from 'vitest'
import { exitStatusOf, explainFailure } from '../../src/cli/failure.ts'
import { makeProgram } from '../../src/cli/program.ts'
import { readConfig } from '../../src/config/config.ts'
import { useFolder } from '../support/folder.ts'
import { asAdmin, useDatabase } from '../support/server.ts'
import { envFor, type Outcome } from './run.ts'

/** Runs a command in this process: a tenth of the time. The log goes to standard error. */
export async function runHere(args: string[], env: Record<string, string | undefined> = {}): Promise<Outcome> {
  const [stdout, stderr] = [collect(process.stdout), collect(process.stderr)]
  const program = makeProgram({ config: () => readConfig(env) })
  let status: number
  try {
    await throwing(program).parseAsync(args, { from: 'user' })
    status = Number(process.exitCode ?? 0)
  } catch (error) {
    if (!(error instanceof CommanderError)) process.stderr.write(`${explainFailure(error).join('\n')}\n`)
    status = error instanceof CommanderError ? error.exitCode : exitStatusOf(error)
  } finally {
    process.exitCode = undefined
    stdout.end()
    stderr.end()
  }
  return { status, stdout: stdout.text(), stderr: stderr.text() }
}

/** Expects that the command ended with 1 and said why, without a stack, and printed nothing on
 * standard output. */
export function expectRefused({ status, stdout, stderr }: Outcome, why: string | RegExp): void {
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(why)
  expect(stderr).not.toMatch(/^\s+at /m)
}

/** Gives the test file a database, a folder with the photos, and the commands on both. */
export function useCli() {
  const database = useDatabase()
  const folder = useFolder()
  const env = (more: Record<string, string> = {}) => envFor(database, { PHOTOS_DIR: folder.at('photos'), ...more })
  const run = (...args: string[]) => runHere(args, env())
  return {
    database,
    folder,
    env,
    run,
    /** What a command prints as JSON. */
    json: async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout),
    /** A new studio's id. */
    newStudio: async (name: string, email: string, ...more: string[]) =>
      (await run('studio', 'create', name, '--owner-email', email, ...more)).stdout.trim(),
    at: folder.at,
    file: folder.file,
    /** Rows of a statement of the administrator. */
    told: async (text: string, values: unknown[] = []) =>
      (await asAdmin(database, (admin) => admin.query(text, values))).rows,
  }
}

function collect(stream: NodeJS.WriteStream) {
  let text = ''
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  return { text: () => text, end: () => spy.mockRestore() }
}

/** The command and all commands below it. They throw where the program would end the process. */
function throwing(command: Command): Command {
  for (const each of command.commands) throwing(each)
  return command.exitOverride()
}
