import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Command, CommanderError } from 'commander'
import { afterAll, beforeAll, vi } from 'vitest'
import { exitStatusOf, explainFailure } from '../../src/cli/failure.ts'
import { makeProgram } from '../../src/cli/program.ts'
import { readConfig } from '../../src/config/config.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'
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

/** Gives the test file a database, a folder with the photos, and the commands on both. */
export function useCli() {
  const cli = {} as { database: TestDatabase; folder: string }
  beforeAll(async () => {
    cli.database = await createTestDatabase()
    cli.folder = await mkdtemp(join(tmpdir(), 'studio-inventory-cli-'))
  })
  afterAll(async () => {
    await rm(cli.folder, { recursive: true, force: true })
    await cli.database?.drop()
  })
  const env = (more: Record<string, string> = {}) =>
    envFor(cli.database, { PHOTOS_DIR: join(cli.folder, 'photos'), ...more })
  return Object.assign(cli, {
    env,
    run: (...args: string[]) => runHere(args, env()),
    at: (name: string) => join(cli.folder, name),
    async file(name: string, content: string | Buffer) {
      await writeFile(join(cli.folder, name), content)
      return join(cli.folder, name)
    },
    /** Rows of a statement of the administrator. */
    told: async (text: string, values: unknown[] = []) =>
      (await asAdmin(cli.database, (admin) => admin.query(text, values))).rows,
  })
}

function collect(stream: NodeJS.WriteStream) {
  let text = ''
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += String(chunk)
    return true
  })
  return { text: () => text, end: () => spy.mockRestore() }
}

/** The command and those below it, throwing where they would end the process. */
function throwing(command: Command): Command {
  for (const each of command.commands) throwing(each)
  return command.exitOverride()
}
