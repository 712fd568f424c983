import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findPort } from '../../src/http/listener.ts'
import { serviceAddress } from '../../src/mcp/stdio.ts'
import { expectRefused } from '../cli/here.ts'
import { runCli } from '../cli/run.ts'
import { overStdio } from '../mcp/support.ts'
import { useWorld } from '../support/world.ts'

const world = useWorld()
const bin = join(import.meta.dirname, '../../src/cli/main.ts')

/** Sends lines to the command, ends its input after two answers, and collects them. */
async function speak(messages: object[]) {
  const env = { PATH: process.env.PATH, STUDIO_INVENTORY_TOKEN: world.cast.a.token.token }
  const child = spawn(process.execPath, [bin, 'mcp', '--url', world.service.url], { env, stdio: 'pipe' })
  let [stdout, stderr] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    if (stdout.split('\n').length > 2) child.stdin.end()
  })
  child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
  const status = await new Promise((resolve) => child.on('close', resolve))
  return { status, stdout, stderr }
}

test('on standard output there is nothing but messages of the protocol, and the command ends with its input', async () => {
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { status, stdout, stderr } = await speak([
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: client },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_account', arguments: {} } },
  ])
  const messages = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(messages.map(({ jsonrpc, id }) => ({ jsonrpc, id }))).toEqual([
    { jsonrpc: '2.0', id: 1 },
    { jsonrpc: '2.0', id: 2 },
  ])
  expect(messages[1].result.structuredContent.data.currency).toMatch(/^[A-Z]{3}$/)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test.each(['', '/', '/v1', '/v1/'])('the address of the service may end with "%s"', (end) => {
  expect(serviceAddress(`https://api.example.com/inventory${end}`)).toBe('https://api.example.com/inventory')
})

const token = 'STUDIO_INVENTORY_TOKEN'
test.each<[what: string, env: Record<string, string>, says: RegExp, ...args: string[]]>([
  ['without a token', {}, /^studio-inventory: STUDIO_INVENTORY_TOKEN: not set\nSet it to an API token/],
  [
    'with something else than a token',
    { [token]: 'svc_studio_hush' },
    /^studio-inventory: STUDIO_INVENTORY_TOKEN: a text of 15 characters is not valid; give an API token/,
  ],
  ['with an address that is none', {}, /Give a web address/, '--url', 'localhost:3000'],
])('%s the command ends and says what to do', async (_what, env, says, ...args) => {
  const refused = await runCli(['mcp', ...args], env)
  expectRefused(refused, says)
  expect(refused.stderr).not.toContain('hush')
})

test('an error names the address of an unreachable service', async () => {
  const url = `http://127.0.0.1:${await findPort('127.0.0.1', 0)}`
  const assistant = await overStdio(url, world.cast.a.token.token)
  const failure = await assistant.failure('get_account')
  expect(failure).toContain(`The service at ${url} could not be reached (`)
  expect(failure).toMatch(/ECONNREFUSED.*: ask the user to check that it runs, and the --url/)
  await assistant.close()
})

test('what is not this API is not taken for it', async () => {
  const assistant = await overStdio(`${world.service.url}/docs`, world.cast.a.token.token)
  expect(await assistant.failure('get_account')).toMatch(
    /^The response \(status 404\) is not from the Studio Inventory API: .* --url/,
  )
  await assistant.close()
})
