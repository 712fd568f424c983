import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import { prefix } from '../api/operations.ts'
import { messageOf } from '../domain/text.ts'
import { type Get, jsonOf, ToolFailure } from './api-client.ts'
import { makeServer, withoutNull } from './server.ts'

/** Speaks MCP on standard input and output, and writes nothing else, until the input ends.
 * @param url address of the service, with `/v1` or without
 * @param complain handles an error that no answer shows */
export function serveStdio(url: string, token: string, complain: (error: Error) => void): void {
  const get = overHttp(url, token)
  const transport = new StdioServerTransport()
  const start = transport.start.bind(transport)
  transport.start = () => {
    const deliver = transport.onmessage
    transport.onmessage = (message) => deliver?.(withoutNull(message))
    return start()
  }
  serve(() => makeServer(get, complain), { transport, onerror: complain, maxSubscriptions: 1 })
}

/** How long to wait for an answer, in milliseconds. */
const timeoutMs = 30_000

/** A service's address, without a given `/v1` or final slash. */
export function serviceAddress(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '')
}

/** Sends requests to a service over HTTP. @param url its address, with `/v1` or without */
function overHttp(url: string, token: string): Get {
  const address = serviceAddress(url)
  return async (path, signal) => {
    try {
      const response = await fetch(address + prefix + path, {
        headers: { Authorization: `Bearer ${token}`, Accept: 'application/json' },
        // A redirect would send the token to another server.
        redirect: 'error',
        signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal ? [signal] : [])]),
      })
      const { status, headers } = response
      return { status, body: jsonOf(await response.text()), header: (name) => headers.get(name) }
    } catch (error) {
      throw new ToolFailure(
        `The service at ${address} could not be reached (${reasonOf(error)}): ask the user to check that it runs, and the --url that this server was started with.`,
      )
    }
  }
}

/** The cause below `fetch`. Without a message, as with several addresses, its code. */
function reasonOf(error: unknown): string {
  const { cause = error } = error as { cause?: unknown }
  return messageOf(cause) || String((cause as { code?: unknown }).code)
}
