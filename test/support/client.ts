import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expectValid } from './valid.ts'

export type Reply<Body = unknown> = {
  status: number
  headers: IncomingHttpHeaders
  rawHeaders: string[]
  /** As it came, compressed or not. */
  bytes: Buffer
  text: string
  /** The parsed body, already validated against its schema; null when it is not JSON. */
  json: Body
  /** The client's end of the connection: equal for two requests on one connection. */
  connection: number
}

export type RequestOptions = {
  /** Null sends none. */
  token?: string | null
  method?: string
  headers?: OutgoingHttpHeaders
  /** False: a connection for this request alone. */
  agent?: Agent | false
  body?: string
}

export type Client = {
  get<Body = unknown>(path: string, options?: RequestOptions): Promise<Reply<Body>>
  close(): void
}

/** How many responses were validated, of every client of this test file. */
export const validated = { responses: 0 }

/** Asks a service on this machine. Every response is validated, whatever the test looks at. */
export function createClient(port: number): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 })
  return {
    async get<Body>(path: string, options: RequestOptions = {}) {
      const sent = await exchange(port, path, { agent, ...options })
      const reply = { ...sent, json: jsonOf<Body>(sent) }
      expectValid(options.method ?? 'GET', path, reply, { accept: String(options.headers?.Accept ?? '') })
      validated.responses += 1
      return reply
    },
    close: () => agent.destroy(),
  }
}

/** One connection, kept alive: each request waits for the one before. */
export function oneConnection(): Agent {
  return new Agent({ keepAlive: true, maxSockets: 1 })
}

/** Asks a server on this machine, and reads its answer as it is. */
export async function exchange(port: number, path: string, options: RequestOptions): Promise<Omit<Reply, 'json'>> {
  const { token = null, method = 'GET', headers = {}, agent, body } = options
  const authorization = token === null ? {} : { Authorization: `Bearer ${token}` }
  // For GET, Node does not say by itself how long a body is.
  const length = body === undefined || headers['Transfer-Encoding'] ? {} : { 'Content-Length': Buffer.byteLength(body) }
  const all = { ...authorization, ...length, ...headers }
  const sent = request({ host: '127.0.0.1', port, path, method, agent, headers: all })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  const connection = response.socket.localPort ?? 0
  const bytes = Buffer.concat(await response.toArray())
  const text = decoded(bytes, response.headers['content-encoding']).toString('utf8')
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    rawHeaders: response.rawHeaders,
    bytes,
    text,
    connection,
  }
}

/** The body of an answer in JSON; null of another. */
export function jsonOf<Body>({ headers, text }: Pick<Reply, 'headers' | 'text'>): Body {
  const isJson = /^application\/(?:problem\+)?json\b/.test(headers['content-type'] ?? '') && text !== ''
  return (isJson ? JSON.parse(text) : null) as Body
}

function decoded(bytes: Buffer, encoding: string | undefined): Buffer {
  if (bytes.length === 0 || encoding === undefined) return bytes
  return encoding === 'br' ? brotliDecompressSync(bytes) : gunzipSync(bytes)
}

/** Everything of a response except its id, its date, and the rest of the quota. */
export function fingerprint({ status, rawHeaders, text, headers }: Reply): string {
  const head = rawHeaders
    .join('\n')
    .replace(/^Date\n.*$/m, 'Date')
    .replace(/;r=\d+;t=\d+/g, ';r;t')
    .replace(/^(RateLimit-(?:Limit|Remaining|Reset))\n.*$/gm, '$1')
  return `${status}\n${head}\n\n${text}`.replaceAll(String(headers['x-request-id']), '<request id>')
}
