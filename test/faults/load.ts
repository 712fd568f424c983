import { Agent, type IncomingMessage, request } from 'node:http'

/** The status of a whole answer, or the code of what broke the connection. */
export type Outcome = { at: number; ms: number; result: number | string; retryAfter: string | undefined; text: string }

export type Caller = { token: string | null; path?: string; method?: string }

/** Sends one request; never rejects. */
export function send(
  port: number,
  { token, path = '/v1/items', method = 'GET' }: Caller,
  agent?: Agent,
): Promise<Outcome> {
  const at = performance.now()
  return new Promise((resolve) => {
    const end = (result: number | string, text = '', response?: IncomingMessage) =>
      resolve({ at, ms: performance.now() - at, result, retryAfter: response?.headers['retry-after'], text })
    const headers = token === null ? {} : { Authorization: `Bearer ${token}` }
    const sent = request({ host: '127.0.0.1', port, path, method, headers, ...(agent && { agent }) }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', () => end('cut'))
      response.on('end', () => end(response.statusCode ?? 0, Buffer.concat(chunks).toString(), response))
    })
    sent.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
    sent.end()
  })
}

/** Sends this many requests a second, whether they are answered or not. */
export async function overload(port: number, caller: Caller, perSecond: number, seconds: number): Promise<Outcome[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 })
  const pending: Promise<Outcome>[] = []
  const began = performance.now()
  while (performance.now() - began < seconds * 1000) {
    const due = ((performance.now() - began) / 1000) * perSecond
    while (pending.length < due) pending.push(send(port, caller, agent))
    await pause(5)
  }
  const outcomes = await Promise.all(pending)
  agent.destroy()
  return outcomes
}

/** How long, from now on, until ten requests in a row are answered with 200; in milliseconds. */
export async function untilHealthy(port: number, caller: Caller, maxMs = 20_000): Promise<number> {
  const began = performance.now()
  let well = 0
  let since = 0
  while (well < 10) {
    const outcome = await send(port, caller)
    if (well === 0) since = performance.now() - began
    well = outcome.result === 200 ? well + 1 : 0
    if (performance.now() - began > maxMs) return Number.POSITIVE_INFINITY
    await pause(20)
  }
  return since
}

export function quantile(outcomes: readonly Outcome[], share: number): number {
  const sorted = outcomes.map(({ ms }) => ms).toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds))
}
