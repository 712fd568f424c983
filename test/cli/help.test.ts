import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { makeProgram } from '../../src/cli/program.ts'
import { readConfig } from '../../src/config/config.ts'
import { runHere } from './here.ts'
import { runCli } from './run.ts'

/** The commands that do something, each with its names. */
function leavesOf(command: Command, names: readonly string[] = []): { names: readonly string[]; command: Command }[] {
  if (command.commands.length === 0) return [{ names, command }]
  return command.commands.flatMap((each) => leavesOf(each, [...names, each.name()]))
}

const program = makeProgram({ config: () => readConfig({}) })
const leaves = leavesOf(program)

test('every command but serve, graphql, mcp and completion has --json, described alike', () => {
  const described = leaves.map(({ names, command }) => [
    names.join(' '),
    command.options.find(({ long }) => long === '--json')?.description,
  ])
  for (const [name, description] of described) {
    const wanted = ['serve', 'graphql', 'mcp', 'completion'].includes(name ?? '')
      ? undefined
      : 'print the result as JSON'
    expect([name, description]).toEqual([name, wanted])
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

test('the program alone lists its commands, and needs no configuration', async () => {
  const { status, stdout } = await runCli(['--help'], { PORT: 'wrong' })
  expect(status).toBe(0)
  for (const each of program.commands) expect(stdout).toMatch(new RegExp(`^ {2}${each.name()}`, 'm'))
})

test.each([
  { args: ['serv'], says: "unknown command 'serv'" },
  { args: ['token', 'list'], says: "required option '--studio <name-or-id>' not specified" },
  { args: ['url', '--as', 'nobody'], says: 'Allowed choices are owner, api, recorder, writer, console, graphql.' },
])('wrong use exits with 1 and points to the help: $args', async ({ args, says }) => {
  const { status, stdout, stderr } = await runHere(args)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(says)
  expect(stderr).toContain('Add --help')
})

test.each([
  { env: { PORT: 'http' }, says: /^studio-inventory: PORT: "http" is not valid; .*\n$/ },
  {
    env: { DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/none' },
    says: /^studio-inventory: SECRET_KEY: not set, .*\n$/,
  },
  {
    env: { DATABASE_URL: 'postgres://nobody:hush@127.0.0.1:1/none', SECRET_KEY: 'x'.repeat(32) },
    says: /^studio-inventory: cannot use the PostgreSQL database none at 127\.0\.0\.1:1 as nobody: .*ECONNREFUSED.*\n.*DATABASE_URL.*\n$/,
  },
])('what cannot work is said in a line or two, without a password or a stack: $env', async ({ env, says }) => {
  const { status, stdout, stderr } = await runCli(['token', 'list', '--studio', 'x'], env)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toMatch(says)
  expect(stderr).not.toContain('hush')
})
