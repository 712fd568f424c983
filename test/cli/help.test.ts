import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { makeProgram } from '../../src/cli/program.ts'
import { manifest, readConfig } from '../../src/config/config.ts'
import { expectRefused, runHere } from './here.ts'
import { runCli } from './run.ts'

/** The commands that do something, each with its names. */
function leavesOf(command: Command, names: readonly string[] = []): { names: readonly string[]; command: Command }[] {
  if (command.commands.length === 0) return [{ names, command }]
  return command.commands.flatMap((each) => leavesOf(each, [...names, each.name()]))
}

const program = makeProgram({ config: () => readConfig({}) })
const leaves = leavesOf(program)

test('every command but serve, graphql and mcp has --json, described alike', () => {
  for (const { names, command } of leaves) {
    const has = !['serve', 'graphql', 'mcp'].includes(names.join(' '))
    const described = command.options.find(({ long }) => long === '--json')?.description
    expect([names, described]).toEqual([names, has ? 'print the result as JSON' : undefined])
  }
})

test.each(leaves.map((leaf) => leaf.names.join(' ')))(
  'help of %s has examples, fits a terminal of 80 columns and needs no configuration',
  async (names) => {
    const { status, stdout, stderr } = await runHere([...names.split(' '), '--help'], { PORT: 'wrong' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain(`Usage: studio-inventory ${names}`)
    expect(stdout).toMatch(/Examples:\n {2}\S/)
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  },
)

test('the program alone lists its commands, and tells its version, without any configuration', async () => {
  expect(await runCli(['--version'], { PORT: 'wrong' })).toEqual({
    ...{ status: 0, stdout: `${manifest.version}\n`, stderr: '' },
  })
  const { status, stdout } = await runCli(['--help'], { PORT: 'wrong' })
  expect(status).toBe(0)
  for (const each of program.commands) expect(stdout).toMatch(new RegExp(`^ {2}${each.name()}`, 'm'))
})

test.each([
  [['serv'], "unknown command 'serv'"],
  [['token', 'list'], "required option '--studio <name-or-id>' not specified"],
  [['url', '--as', 'nobody'], 'Allowed choices are owner, api, recorder, writer, console, graphql.'],
])('wrong use exits with 1 and points to the help: %j', async (args, says) => {
  const refused = await runHere(args)
  expectRefused(refused, says)
  expect(refused.stderr).toContain('Add --help')
})

const nowhere = { DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/none' }
test.each([
  [{ PORT: 'http' }, /^studio-inventory: PORT: "http" is not valid; .*\n$/],
  [nowhere, /^studio-inventory: SECRET_KEY: not set, .*\n$/],
  [
    { ...nowhere, SECRET_KEY: 'x'.repeat(32) },
    /^studio-inventory: cannot use the PostgreSQL database none at 127\.0\.0\.1:1 as nobody: .*ECONNREFUSED.*\n.*DATABASE_URL.*\n$/,
  ],
])('what cannot work is said in a line or two, without a password or a stack: %j', async (env, says) => {
  const refused = await runCli(['token', 'list', '--studio', 'x'], env)
  expectRefused(refused, says)
  expect(refused.stderr).not.toContain('hush')
})
