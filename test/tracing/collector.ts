import { createServer, type IncomingMessage } from 'node:http'
import { listen } from '../../src/http/listener.ts'

export type Attribute = string | number | boolean | (string | number | boolean)[]

/** A span as a collector sees it. */
export type Span = {
  traceId: string
  spanId: string
  parentSpanId: string | undefined
  name: string
  kind: 'server' | 'client' | 'other'
  attributes: Record<string, Attribute>
  failed: boolean
  durationNs: bigint
}

export type Collector = {
  endpoint: string
  /** How it answers from now on: takes all, refuses all with this status, or never answers. */
  answer(how: 'takes' | 'never' | number): void
  /** How many exports were refused. */
  refused(): number
  /** Every byte of the exports, with their headers. */
  text(): string
  headers(): IncomingMessage['headers'][]
  resources(): Record<string, Attribute>[]
  spans(): Span[]
  /** The spans of the trace of a request, the request's own first; empty until it has come. */
  traceOf(requestId: unknown): Span[]
  close(): Promise<void>
}

type Value = {
  stringValue?: string
  intValue?: string | number
  doubleValue?: number
  boolValue?: boolean
  arrayValue?: { values: Value[] }
}
type Pairs = { key: string; value: Value }[]
type Exported = {
  resourceSpans: {
    resource: { attributes: Pairs }
    scopeSpans: {
      spans: {
        traceId: string
        spanId: string
        parentSpanId?: string
        name: string
        kind: number
        attributes?: Pairs
        status?: { code?: number }
        startTimeUnixNano: string
        endTimeUnixNano: string
      }[]
    }[]
  }[]
}

/** A collector of OTLP over HTTP, in JSON as the protocol says, that keeps what it gets. */
export async function openCollector(port = 0): Promise<Collector> {
  const bodies: string[] = []
  const heads: IncomingMessage['headers'][] = []
  let how: 'takes' | 'never' | number = 'takes'
  let refused = 0
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString()
    if (how === 'never') return
    if (request.method !== 'POST' || request.url !== '/v1/traces') response.writeHead(404).end()
    else if (how !== 'takes') {
      refused += 1
      response.writeHead(how).end()
    } else {
      bodies.push(body)
      heads.push(request.headers)
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}')
    }
  })
  const listening = await listen(server, '127.0.0.1', port)
  const exported = () => bodies.flatMap((body) => (JSON.parse(body) as Exported).resourceSpans)
  const spans = () => exported().flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans.map(spanOf)))
  return {
    endpoint: `http://127.0.0.1:${listening}`,
    answer(next) {
      how = next
    },
    refused: () => refused,
    text: () => JSON.stringify(heads) + bodies.join('\n'),
    headers: () => heads,
    resources: () => exported().map(({ resource }) => attributesOf(resource.attributes)),
    spans,
    traceOf(requestId) {
      const all = spans()
      const own = all.find(({ attributes }) => String(attributes['http.response.header.x-request-id']) === requestId)
      return own === undefined ? [] : [own, ...all.filter((span) => span.traceId === own.traceId && span !== own)]
    },
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

function spanOf(span: Exported['resourceSpans'][0]['scopeSpans'][0]['spans'][0]): Span {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId || undefined,
    name: span.name,
    kind: span.kind === 2 ? 'server' : span.kind === 3 ? 'client' : 'other',
    attributes: attributesOf(span.attributes ?? []),
    failed: span.status?.code === 2,
    durationNs: BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano),
  }
}

function attributesOf(pairs: Pairs): Record<string, Attribute> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plain(value)]))
}

function plain(value: Value): Attribute {
  if (value.arrayValue) return value.arrayValue.values.map((each) => plain(each) as string)
  return value.stringValue ?? value.boolValue ?? Number(value.intValue ?? value.doubleValue)
}
