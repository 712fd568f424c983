import { setTimeout as sleep } from 'node:timers/promises'
import { createCsrfTokens } from '../../src/console/forms.ts'
import { testSecretKey } from '../support/server.ts'

/** A request of somebody. The answer's status is all that its sender looks at. */
export type Ask = { url: string; init?: RequestInit }

/** What somebody got: how long each answer took, in milliseconds, its status (0: none; 'left': it did not
 * wait for it; of SQL 200, or the code of the error), and what Retry-After says. */
export type Outcome = { ms: number; status: number | string; retryAfter?: string | null }

/** What the people of a studio show, and where. The session is the owner's; the identities are the owner's
 * and three members'. */
export type Credentials = {
  id: string
  token: string
  session: string
  identities: string[]
  origin: string
  graphql: string
}

/** A studio, and the requests of its people. */
export type Neighbour = {
  credentials: Credentials
  id: string
  rest(path: string, init?: RequestInit): Ask
  page(path: string): Ask
  /** Sends a form of the console. */
  form(path: string, fields: FormData | URLSearchParams): Ask
  /** @param person one of four, by number */
  graphql(query: string, person?: number): Ask
  tool(name: string, given: object): Ask
}

export function neighbourWith(credentials: Credentials): Neighbour {
  const { id, token, session, identities, origin, graphql } = credentials
  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' }
  const send = (url: string, bearer: string, body: object): Ask => ({
    url,
    init: { method: 'POST', headers: { ...json, Authorization: `Bearer ${bearer}` }, body: JSON.stringify(body) },
  })
  const page = (path: string): Ask => ({
    url: `${origin}/console/studios/${id}/${path}`,
    init: { headers: { Cookie: `studio-inventory-session=${session}` }, redirect: 'manual' },
  })
  return {
    credentials,
    id,
    rest: (path, init) => ({
      url: `${origin}/v1${path}`,
      init: { headers: { Authorization: `Bearer ${token}` }, ...init },
    }),
    page,
    form: (path, fields) => {
      fields.append('csrf_token', createCsrfTokens(testSecretKey).tokenFor(session))
      const { url, init } = page(path)
      return { url, init: { ...init, method: 'POST', headers: { ...init?.headers, Origin: origin }, body: fields } }
    },
    graphql: (query, person = 0) => send(graphql, identities[person % identities.length] ?? '', { query }),
    tool: (name, given) =>
      send(`${origin}/mcp`, token, { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }),
  }
}

/** Keeps so many requests under way until the signal; then it leaves, or waits for the last answers if it
 * is patient. `ask` gets how many were sent before. */
export async function keepAsking(
  ask: (count: number) => Ask,
  {
    parallel,
    pauseMs = 0,
    until,
    isPatient = false,
  }: { parallel: number; pauseMs?: number; until: AbortSignal; isPatient?: boolean },
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  let count = 0
  const one = async () => {
    while (!until.aborted) {
      outcomes.push(await send(ask(count++), isPatient ? undefined : until))
      await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: parallel }, one))
  return outcomes
}

/** Sends a request and reads its answer. */
export async function send({ url, init }: Ask, until?: AbortSignal): Promise<Outcome> {
  const began = performance.now()
  const signal = AbortSignal.any([AbortSignal.timeout(20_000), ...(until ? [until] : [])])
  try {
    const response = await fetch(url, { ...init, signal })
    await response.arrayBuffer()
    const retryAfter = response.headers.get('retry-after')
    return { ms: performance.now() - began, status: response.status, retryAfter }
  } catch {
    return { ms: performance.now() - began, status: until?.aborted ? 'left' : 0 }
  }
}
