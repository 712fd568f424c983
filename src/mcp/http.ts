import { createServer, type IncomingMessage, type RequestListener, request } from 'node:http'
import { duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Request, RequestHandler, Response } from 'express'
import { prefix } from '../api/operations.ts'
import type { Limiter } from '../auth/limiter.ts'
import { readCredentials } from '../auth/token.ts'
import { addressKey } from '../http/address.ts'
import { occurrences } from '../http/message.ts'
import { type Problems, problemType } from '../http/problems.ts'
import { jsonType, send } from '../http/response.ts'
import { serverOptions } from '../http/server.ts'
import type { Logger } from '../log.ts'
import { type Get, jsonOf } from './api-client.ts'
import { makeServer, withoutNull } from './server.ts'

type McpDependencies = {
  /** Answers the service's requests, including those of tools. */
  app: RequestListener
  /** The service's address for clients. In a browser, only its own pages may send requests. */
  publicUrl: string
  limiter: Limiter
  problems: Problems
  log: Logger
}

/** A call of a tool is a few hundred bytes. */
const maxRequestBodySize = 64 * 1024

/** Messages of a token a minute, also those without an API request. Tools meet the API's limits. */
const messagesPerMinute = 300

/** The Model Context Protocol by Streamable HTTP, without sessions: each message gets its own
 * server. It checks, in this order: method (405), origin (403), the token's form (401), whether
 * the API accepts the token (else its answer), and the limit of messages (429). */
export function serveMcp({ app, publicUrl, limiter, problems, log }: McpDependencies): RequestHandler {
  const getAs = inProcess(app)
  const ownOrigin = new URL(publicUrl).origin

  return async (request, response) => {
    if (request.method !== 'POST') return refuse(response, 405, 'This address takes POST only.', { Allow: 'POST' })
    const { host, origin } = request.headers
    // Another site's page, even under a name that leads here, must not use a token.
    if (origin !== undefined && origin !== ownOrigin) return refuse(response, 403, 'Pages of other sites may not ask.')
    if (host !== undefined && !URL.canParse(`http://${host}`)) return problems.send(response, 'bad_request')

    const token = tokenOf(request)
    if (token === null) return problems.send(response, 'unauthenticated')
    const get = getAs(request)
    if (limiter.remembered(token.key, addressKey(request.ip)) === undefined && !(await isKnown(get, response))) return
    const { retryAfterSeconds: wait } = await limiter.admitAction('mcp', token.key, messagesPerMinute)
    if (wait > 0) {
      response.setHeader('Retry-After', String(wait))
      return problems.send(response, 'rate_limited')
    }

    const complain = (err: Error) => log.warn({ err }, 'a message of the Model Context Protocol failed')
    const { fetch } = createMcpHandler(() => makeServer(get, complain), { maxRequestBodySize, maxSubscriptions: 0 })
    const respond: typeof fetch = async (message, options) => {
      const parsedBody = withoutNull(jsonOf(await message.clone().text()))
      if (Array.isArray(parsedBody)) return globalThis.Response.json(notOne, { status: 400 })
      return fetch(message, parsedBody === undefined ? options : { ...options, parsedBody })
    }
    const handler = { fetch: async (...message: Parameters<typeof fetch>) => uncached(await respond(...message)) }
    await toNodeHandler(handler, { maxRequestBodySize, onerror: complain })(request, response)
  }
}

/** The protocol has no arrays any more: a small request would have a very large answer. */
const notOne = { jsonrpc: '2.0', error: { code: -32_600, message: 'Send one message, and no array.' }, id: null }

/** The library allows stored event streams; this service's answers must not be stored. */
function uncached(answer: globalThis.Response): globalThis.Response {
  answer.headers.set('Cache-Control', 'no-store')
  return answer
}

/** Exactly one `Authorization` header with a well-formed token, else null. */
function tokenOf(request: Request) {
  return occurrences(request, 'authorization') === 1 ? readCredentials(request.headers.authorization) : null
}

/** Asks the API whether it accepts a new token. If not, sends the refusal. */
async function isKnown(get: Get, response: Response): Promise<boolean> {
  const { status, body, header } = await get('/account')
  if (status === 200) return true
  for (const name of ['WWW-Authenticate', 'Retry-After']) {
    const value = header(name.toLowerCase())
    if (value !== null) response.setHeader(name, value)
  }
  send(response, status, problemType, JSON.stringify(body))
  return false
}

/** A transport error, which in the protocol has no message id. */
function refuse(response: Response, status: number, message: string, headers: Record<string, string> = {}): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  send(response, status, jsonType, JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }))
}

/** Headers that a tool's request takes from its caller: identity, program, address and trace. */
const passedOn = ['authorization', 'host', 'user-agent', 'x-forwarded-for', 'x-forwarded-proto', 'traceparent'] as const

/** Sends requests to this process's own service, over connections in memory. They pass every
 * check, and are counted, logged and recorded under the caller's address.
 * @param app answers the service's requests
 * @returns makes, for a request with a call, the sender of its caller's requests */
function inProcess(app: RequestListener): (caller: IncomingMessage) => Get {
  // It does not listen: it gets only the connections below, whose other end never stalls.
  const server = createServer(serverOptions, app)

  return (caller) => {
    const headers: Record<string, string> = { accept: 'application/json' }
    for (const name of passedOn) {
      const value = caller.headers[name]
      if (value !== undefined) headers[name] = String(value)
    }
    const { remoteAddress } = caller.socket
    return (path, signal) =>
      new Promise((resolve, reject) => {
        const [ours, its] = duplexPair()
        server.emit('connection', Object.assign(its, { remoteAddress }))
        request({ createConnection: () => ours, path: prefix + path, headers, signal }, async (response) => {
          const { statusCode: status = 0 } = response
          const header = (name: string) => response.headers[name]?.toString() ?? null
          text(response).then((body) => resolve({ status, body: jsonOf(body), header }), reject)
        })
          .on('error', reject)
          .end()
      })
  }
}
