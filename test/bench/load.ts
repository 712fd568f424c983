import { type Answer, type Connection, openConnection } from './connection.ts'

/** One request, and what its answer has to hold. */
export type Ask = {
  path: string
  headers: Record<string, string>
  /** Sent by POST when there is one. */
  body?: string
  /** Text that stands in the first part of every right answer. */
  holds?: string
  /** The length of every right answer, when it is always the same. */
  bytes?: number
  /** Looks at the whole body; called for a sample of the answers. Throws when it is not what was asked for. */
  examine?(body: unknown): void
}

/** What the requests of one round were answered with, in milliseconds each. */
export type Measured = { requests: number; seconds: number; latencies: number[] }

export type LoadOptions = {
  origin: string
  connections: number
  /** The next request of a connection. */
  next(connection: number): Ask
  /** The round ends after so many milliseconds, or so many requests. */
  ms?: number
  requests?: number
}

/** One answer in so many is parsed and looked at as a whole. */
const sampleEvery = 64

/**
 * Asks over some connections that are kept alive, each with one request at a time, and checks every answer: status,
 * length, and the text it has to hold; a sample as a whole.
 *
 * @throws at the first answer that is wrong
 */
export async function load({ origin, connections, next, ms = 600_000, requests }: LoadOptions): Promise<Measured> {
  const open = Array.from({ length: connections }, () => openConnection(origin))
  const latencies: number[] = []
  let left = requests ?? Number.POSITIVE_INFINITY
  let asked = 0
  const began = performance.now()
  const end = began + ms
  const work = async (connection: Connection, number: number) => {
    while (left > 0 && performance.now() < end) {
      left -= 1
      asked += 1
      const ask = next(number)
      const whole = asked % sampleEvery === 1
      const request = bytesOf(ask, origin)
      const started = performance.now()
      const answer = await connection.exchange(request, ask.holds, whole)
      latencies.push(performance.now() - started)
      check(ask, answer, whole)
    }
  }
  try {
    await Promise.all(open.map(work))
    return { requests: latencies.length, seconds: (performance.now() - began) / 1000, latencies }
  } finally {
    for (const connection of open) connection.close()
  }
}

/** Asks once and gives the parsed answer. */
export async function askOnce(origin: string, ask: Ask): Promise<unknown> {
  const connection = openConnection(origin)
  try {
    const answer = await connection.exchange(bytesOf(ask, origin), ask.holds, true)
    check(ask, answer, true)
    return JSON.parse(answer.body)
  } finally {
    connection.close()
  }
}

function bytesOf({ path, headers, body }: Ask, origin: string): string {
  let head = `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\nhost: ${origin.slice('http://'.length)}\r\n`
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`
  return body === undefined ? `${head}\r\n` : `${head}content-length: ${body.length}\r\n\r\n${body}`
}

function check(ask: Ask, answer: Answer, whole: boolean): void {
  const wrong = (what: string) => new Error(`${ask.path}${ask.body ?? ''}: ${what}`)
  if (answer.status !== 200) throw wrong(`status ${answer.status}: ${answer.body.slice(0, 300)}`)
  if (answer.bytes === 0) throw wrong('an empty body')
  if (answer.announced !== undefined && answer.announced !== answer.bytes) {
    throw wrong(`${answer.bytes} bytes, where the header says ${answer.announced}`)
  }
  if (ask.bytes !== undefined && ask.bytes !== answer.bytes) {
    throw wrong(`${answer.bytes} bytes, where the same question was answered with ${ask.bytes}`)
  }
  if (!answer.begins) throw wrong(`does not hold ${ask.holds}`)
  if (whole) ask.examine?.(JSON.parse(answer.body))
}

/** The value below which this share of the others lies. Sorts. */
export function percentile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
