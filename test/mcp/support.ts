import { join } from 'node:path'
import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { expect } from 'vitest'

const bin = join(import.meta.dirname, '../../src/cli/main.ts')

/** What a tool answered with, as a client that checks it against the tool's schema has it. */
export type Result = { isError: boolean; text: string; content: Record<string, unknown>; meta: Record<string, unknown> }

/** A client of the Model Context Protocol. */
export type Assistant = {
  client: Client
  call(name: string, given?: Record<string, unknown>): Promise<Result>
  /** The sentence of a call that must fail. */
  failure(name: string, given?: Record<string, unknown>): Promise<string>
  /** What the command has written to standard error; empty over HTTP. */
  errors(): string
  close(): Promise<void>
}

/** Connects to `/mcp` of a service. */
export async function overHttp(url: string, token: string, client = newClient()): Promise<Assistant> {
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
  return assistant(client, () => '')
}

/** Starts the command and connects to it. */
export async function overStdio(url: string, token: string): Promise<Assistant> {
  const client = newClient()
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [bin, 'mcp', '--url', url],
    env: { PATH: process.env.PATH ?? '', STUDIO_INVENTORY_TOKEN: token },
    stderr: 'pipe',
  })
  let errors = ''
  transport.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  await client.connect(transport)
  return assistant(client, () => errors)
}

/** As `overHttp`, in the newest revision, without a handshake; clients default to an earlier
 * one. */
export async function overNewest(url: string, token: string): Promise<Assistant> {
  const connected = await overHttp(url, token, newClient({ versionNegotiation: { mode: 'auto' } }))
  expect(connected.client.getProtocolEra()).toBe('modern')
  return connected
}

const newClient = (options: ClientOptions = {}) => new Client({ name: 'test', version: '1.0.0' }, options)

function assistant(client: Client, errors: () => string): Assistant {
  const call: Assistant['call'] = async (name, given = {}) => {
    const { content, structuredContent, isError, _meta } = await client.callTool({ name, arguments: given })
    const [first] = content as { type: string; text: string }[]
    return {
      isError: isError === true,
      text: first?.text ?? '',
      content: (structuredContent ?? {}) as Record<string, unknown>,
      meta: (_meta ?? {}) as Record<string, unknown>,
    }
  }
  return {
    client,
    call,
    async failure(name, given) {
      const { isError, text } = await call(name, given)
      expect(isError, text).toBe(true)
      return text.split('\n')[0] ?? ''
    },
    errors,
    close: () => client.close(),
  }
}
