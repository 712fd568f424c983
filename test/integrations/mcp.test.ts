import { readdir, readFile, writeFile } from 'node:fs/promises'
import { request as ask, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { generous, startService, type TestService } from '../support/service.ts'
import { useTool } from './demo.ts'
import { project, recipes, run, runTool } from './tools.ts'

/** The MCP server, called by the protocol's inspector and conformance suite. */
const demo = useTool({ limits: generous })
let service: TestService
let page: string
beforeAll(async () => {
  service = await startService(demo.database, { mcp: true, limits: generous })
  page = await readFile(join(recipes, 'mcp/README.md'), 'utf8')
})
afterAll(() => service?.stop())

describe('the inspector', () => {
  async function inspect(args: readonly string[]) {
    const { status, stdout, stderr } = await runTool('mcp-inspector', args, { env: { HOME: demo.folder } })
    expect(status, stdout + stderr).toBe(0)
    return JSON.parse(stdout)
  }

  /** The arguments of the command of the page. */
  function argumentsOfPage(): string[] {
    const [, command = ''] = /^npx @modelcontextprotocol\/inspector ((?:.*\\\n)*.*)/m.exec(page) ?? []
    const words = command.replaceAll('\\\n', ' ').match(/"[^"]*"|\S+/g) ?? []
    const set = (word: string) => word.replace('http://localhost:3000', service.url).replace('$TOKEN', demo.token)
    return words.map((word) => set(word.replaceAll('"', '')))
  }

  test('the command of the page sums by category what SQL sums', async () => {
    const { structuredContent } = await inspect(argumentsOfPage())
    const groups = await demo.sql(`
      select category as key, count(*)::integer as count, sum(purchase_price)::text as purchase_price,
        sum(reported_insured_value)::text as reported_insured_value
      from api_v1.items group by category`)
    const [total] = await demo.sql(`
      select count(*)::integer as count, sum(purchase_price)::text as purchase_price,
        sum(reported_insured_value)::text as reported_insured_value
      from api_v1.items`)
    const byKey = (one: unknown[]) => new Map((one as { key: string }[]).map((group) => [group.key, group]))
    expect(structuredContent).toMatchObject({ by: 'category', complete: true, total })
    expect(byKey(structuredContent.groups)).toEqual(byKey(groups))
  })

  test('the configuration of the page for Claude Desktop starts the server over stdio', async () => {
    const [, json = ''] = /```json\n(\{ "mcpServers".*?)```/s.exec(page) ?? []
    // The package as it would be published: npx installs it, and runs it.
    const packed = await run('npm', ['pack', '--silent', '--pack-destination', demo.folder], { cwd: project })
    const options = ['-y', '--omit=optional', `--package=${join(demo.folder, packed.stdout.trim())}`]
    const { status, stderr } = await run('npx', [...options, 'studio-inventory', 'mcp', '--help'], {
      env: { HOME: demo.folder, npm_config_cache: join(demo.folder, '.npm') },
    })
    expect(status, stderr).toBe(0)
    const config = json
      .replace('"-y", "--omit=optional"', JSON.stringify(options).slice(1, -1))
      .replace('https://api.example.com', service.url)
      .replace('svc_studio_…', demo.token)
    const file = join(demo.folder, 'claude_desktop_config.json')
    await writeFile(file, config)
    const account = ['--method', 'tools/call', '--tool-name', 'get_account']
    const { structuredContent } = await inspect(['--cli', '--config', file, '--server', 'studio-inventory', ...account])
    expect(structuredContent.data).toMatchObject({ item_count: 250 })
  })

  test('no tool has a schema that clients refuse', async () => {
    const args = ['--cli', `${service.url}/mcp`, '--header', `Authorization: Bearer ${demo.token}`]
    const { tools } = await inspect([...args, '--method', 'tools/list', '--strict'])
    expect(tools).toHaveLength(operations.length + 2)
  })
})

describe('the conformance suite', () => {
  const applicable = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']
  /** The suite cannot send a token: this adds it. */
  let door: ReturnType<typeof createServer>
  const addressOf = (server: typeof door) => `127.0.0.1:${(server.address() as AddressInfo).port}`
  beforeAll(async () => {
    door = createServer((request, response) => {
      const { host = '', origin, ...others } = request.headers
      const own = (text: string) => text.replace(addressOf(door), `127.0.0.1:${service.port}`)
      const headers = {
        ...others,
        ...{ host: own(host), authorization: `Bearer ${demo.token}` },
        ...(origin && { origin: own(origin) }),
      }
      const inner = ask(service.url + request.url, { method: request.method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(response)
      })
      inner.on('error', () => response.destroy())
      request.pipe(inner)
    })
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve))
  })
  afterAll(() => void door?.close())

  // Of the others most call tools of a server made for the suite, or ask for resources, prompts,
  // sampling and sessions.
  test.each(applicable)('%s passes', async (scenario) => {
    const results = join(demo.folder, scenario)
    const args = ['server', '--url', `http://${addressOf(door)}/mcp`, '--scenario', scenario, '-o', results]
    const { status, stdout, stderr } = await runTool('conformance', args)
    expect(status, stdout + stderr).toBe(0)
    const [result = ''] = await readdir(results)
    const checks: { status: string }[] = JSON.parse(await readFile(join(results, result, 'checks.json'), 'utf8'))
    expect(new Set(checks.map((check) => check.status))).toEqual(new Set(['SUCCESS']))
  })
})
