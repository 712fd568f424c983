import { Client, type Dispatcher } from 'undici'

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
  const clients = Array.from({ length: connections }, () => new Client(origin, { pipelining: 1 }))
  const latencies: number[] = []
  let left = requests ?? Number.POSITIVE_INFINITY
  let asked = 0
  const began = performance.now()
  const end = began + ms
  const work = async (client: Client, connection: number) => {
    while (left > 0 && performance.now() < end) {
      left -= 1
      asked += 1
      const ask = next(connection)
      const whole = asked % sampleEvery === 1
      const started = performance.now()
      const answer = await exchange(client, ask, whole)
      latencies.push(performance.now() - started)
      check(ask, answer, whole)
    }
  }
  try {
    await Promise.all(clients.map(work))
    return { requests: latencies.length, seconds: (performance.now() - began) / 1000, latencies }
  } finally {
    await Promise.all(clients.map((client) => client.destroy()))
  }
}

/** Asks once and gives the parsed answer. */
export async function askOnce(origin: string, ask: Ask): Promise<unknown> {
  const client = new Client(origin)
  try {
    const answer = await exchange(client, ask, true)
    check(ask, answer, true)
    return JSON.parse(answer.body)
  } finally {
    await client.destroy()
  }
}

type Answer = { status: number; announced: number | undefined; bytes: number; start: Buffer; body: string }

function exchange(client: Client, ask: Ask, whole: boolean): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const answer: Answer = { status: 0, announced: undefined, bytes: 0, start: Buffer.alloc(0), body: '' }
    const parts: Buffer[] = []
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart(_controller, status, headers) {
        answer.status = status
        const length = headers['content-length']
        if (typeof length === 'string') answer.announced = Number(length)
      },
      onResponseData(_controller, part) {
        if (answer.bytes === 0) answer.start = part
        answer.bytes += part.length
        if (whole || answer.status !== 200) parts.push(part)
      },
      onResponseEnd() {
        answer.body = parts.length === 0 ? '' : Buffer.concat(parts).toString('utf8')
        resolve(answer)
      },
      onResponseError: (_controller, error) => reject(error),
    }
    const { path, headers, body } = ask
    client.dispatch({ path, method: body === undefined ? 'GET' : 'POST', headers, body: body ?? null }, handler)
  })
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
  if (ask.holds !== undefined && !answer.start.includes(ask.holds)) throw wrong(`does not hold ${ask.holds}`)
  if (whole) ask.examine?.(JSON.parse(answer.body))
}

/** The value below which this share of the others lies. Sorts. */
export function percentile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
