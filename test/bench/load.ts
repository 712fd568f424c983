import { type Answer, type Connection, openConnection } from './connection.ts'

/** One request, and what its answer has to contain. */
export type BenchRequest = {
  path: string
  headers: Record<string, string>
  /** Sent by POST when there is one. */
  body?: string
  /** Text in the first part of every right answer. */
  contains?: string
  /** The length of every right answer, when it is always the same. */
  bytes?: number
  /** The status of every right answer; 200 when left out. A 304 has no body. */
  status?: 200 | 304
  /** Looks at the whole body; called for a sample of the answers. Throws when it is not what was asked for. */
  examine?(body: unknown): void
}

/** What the requests of one round were answered with, in milliseconds each. */
export type Measured = { requests: number; seconds: number; latencies: number[] }

export type LoadOptions = {
  origin: string
  connections: number
  /** The next request of a connection. */
  next(connection: number): BenchRequest
  /** The round ends after this many milliseconds, or this many requests. */
  ms?: number
  requests?: number
  /** The round also lasts until so many requests have been answered. */
  least?: number
}

/** One answer in so many is parsed and looked at as a whole. */
const sampleEvery = 64

/**
 * Sends requests over some keep-alive connections, each with one request at a time, and checks every answer: status,
 * length, and the text it has to contain; a sample as a whole.
 *
 * @throws at the first answer that is wrong
 */
export async function load({
  origin,
  connections,
  next,
  ms = 600_000,
  requests,
  least = 0,
}: LoadOptions): Promise<Measured> {
  const open = Array.from({ length: connections }, () => openConnection(origin))
  const latencies: number[] = []
  let left = requests ?? Number.POSITIVE_INFINITY
  let sent = 0
  const began = performance.now()
  const end = began + ms
  const work = async (connection: Connection, number: number) => {
    while (left > 0 && (performance.now() < end || latencies.length < least)) {
      left -= 1
      sent += 1
      const request = next(number)
      const whole = sent % sampleEvery === 1
      const bytes = bytesOf(request, origin)
      const started = performance.now()
      const answer = await connection.exchange(bytes, request.contains, whole)
      latencies.push(performance.now() - started)
      check(request, answer, whole)
    }
  }
  try {
    await Promise.all(open.map(work))
    return { requests: latencies.length, seconds: (performance.now() - began) / 1000, latencies }
  } finally {
    for (const connection of open) connection.close()
  }
}

/** Sends one request and returns the parsed answer. */
export async function requestOnce(origin: string, request: BenchRequest): Promise<unknown> {
  const connection = openConnection(origin)
  try {
    const answer = await connection.exchange(bytesOf(request, origin), request.contains, true)
    check(request, answer, true)
    return JSON.parse(answer.body)
  } finally {
    connection.close()
  }
}

function bytesOf({ path, headers, body }: BenchRequest, origin: string): string {
  let head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: ${origin.slice('http://'.length)}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${body.length}\r\n\r\n${body}`
}

function check(request: BenchRequest, answer: Answer, whole: boolean): void {
  const wrong = (what: string) => new Error(`${request.path}${request.body ?? ''}: ${what}`)
  const { status = 200 } = request
  if (answer.status !== status) throw wrong(`status ${answer.status}: ${answer.body.slice(0, 300)}`)
  if (status === 304) return
  if (answer.bytes === 0) throw wrong('an empty body')
  if (answer.announced !== undefined && answer.announced !== answer.bytes) {
    throw wrong(`${answer.bytes} bytes, where the header says ${answer.announced}`)
  }
  if (request.bytes !== undefined && request.bytes !== answer.bytes) {
    throw wrong(`${answer.bytes} bytes, where the same question was answered with ${request.bytes}`)
  }
  if (!answer.begins) throw wrong(`does not contain ${request.contains}`)
  if (whole) request.examine?.(JSON.parse(answer.body))
}

/** The value below which this share of the others lies. Sorts. */
export function percentile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
