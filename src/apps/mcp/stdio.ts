import { serveStdio as serve } from '@modelcontextprotocol/server/stdio'
import { overHttp } from './client.ts'
import { makeServer } from './server.ts'

/**
 * Speaks the Model Context Protocol on standard input and output, until the input ends. Nothing else is written to the output.
 *
 * @param url address of the service, with `/v1` or without
 * @param complain what to do with an error that no answer shows
 */
export function serveStdio(url: string, token: string, complain: (error: Error) => void): void {
  const get = overHttp(url, token)
  serve(() => makeServer(get, complain), { onerror: complain, maxSubscriptions: 1 })
}
