import { connect } from 'node:net'
import type { TestDatabase } from '../support/server.ts'
import type { Ask, Neighbour, Outcome } from './neighbour.ts'
import { importing } from './uploads.ts'

/** What a hostile studio knows and has. */
export type Target = {
  database: Pick<TestDatabase, 'adminUrl'>
  origin: string
  hostile: Neighbour
  /** Ids of its photos. */
  photos: string[]
  /** Its logins, which belong to the whole server. */
  logins: string[]
  /** How many rows a file of it has. */
  rows: number
}

/** What a hostile studio does: a request, sent so many times at once until it ends, or its own way. */
export type Attack = {
  parallel: number
  ask?: (target: Target, count: number) => Ask
  run?: (target: Target, until: AbortSignal) => Promise<Outcome[]>
  /** A size on the server, as SQL, and how many bytes it may grow. */
  bound?: { of: string; most: number }
  /** It is so much at once that a share ends, and some of it gets 429. */
  isRefused?: true
}

const [states, orders] = [
  ['uninsured', 'under_covered', 'fully_covered', 'value_unknown'],
  ['value', 'value-up', 'name', 'acquired'],
]
const day = (count: number) => `2030-01-${10 + (count % 19)}`
const plan = (count: number) =>
  `{ ${Array.from({ length: 20 }, (_, n) => `p${count}_${n}: items(first: 1) { nodes { id name location { name items(first: 1) { nodes { id } } } } }`).join(' ')} }`

/** By their surface: the other studio's people use the same. */
export const attacks: Record<string, Attack> = {
  // The first: nobody has opened the page since the start.
  'strangers at /docs, twenty requests on each connection': {
    parallel: 32,
    run: ({ origin }, until) => pipelined(Number(new URL(origin).port), '/docs', 32, until),
  },
  'lists that nothing caches': {
    parallel: 16,
    ask: ({ hostile }, n) => hostile.rest(`/items?q=item%20${n}&per_page=100`),
  },
  'values of a day': {
    parallel: 8,
    ask: ({ hostile }, n) => hostile.rest(`/valuations?on=${day(n)}&per_page=1&coverage_state=${states[n % 4]}`),
  },
  // One runs and ten wait.
  'sums of a day': {
    parallel: 16,
    ask: ({ hostile }, n) => hostile.rest(`/valuations/summary?on=${day(n)}&by=${['location', 'category'][n % 2]}`),
    isRefused: true,
  },
  searches: { parallel: 12, ask: ({ hostile }, n) => hostile.rest(`/items?q=${n}%20nothing`) },
  'tokens that nobody issued': {
    parallel: 16,
    ask: ({ hostile }, n) =>
      hostile.rest('/items', { headers: { Authorization: `Bearer svc_pro_${String(n).padStart(32, 'x')}` } }),
  },
  'lists of the console': {
    parallel: 12,
    ask: ({ hostile }, n) => hostile.page(`items?order=${orders[n % 4]}&page=${(n % 50) + 1}`),
  },
  'overviews of the console': { parallel: 12, ask: ({ hostile }) => hostile.page('overview') },
  'photos of 119 and of 25 megapixels': {
    parallel: 12,
    ask: ({ hostile, photos }, n) => hostile.page(`photos/${photos[n % photos.length]}/large`),
  },
  'previews of a large file': { parallel: 4, run: importing },
  // One is made at a time.
  reports: {
    parallel: 6,
    ask: ({ hostile }) => hostile.form('report', new URLSearchParams({ format: 'pdf' })),
    isRefused: true,
  },
  // One runs and twenty wait.
  'sums in GraphQL': {
    parallel: 26,
    ask: ({ hostile }, n) =>
      hostile.graphql(
        `{ items(filter: {name: {includesInsensitive: "${n}x"}}) { totalCount groupedAggregates(groupBy: [CATEGORY]) { sum { purchasePrice } } } }`,
      ),
    isRefused: true,
  },
  'patterns in GraphQL': {
    parallel: 12,
    ask: ({ hostile }, n) =>
      hostile.graphql(
        `{ items(first: 1, filter: {name: {includesInsensitive: "${'a'.repeat(60 + (n % 8))}b"}}) { nodes { id } } }`,
      ),
  },
  'plans of four people in GraphQL': { parallel: 12, ask: ({ hostile }, n) => hostile.graphql(plan(n), n) },
  'tools of an assistant': {
    parallel: 8,
    ask: ({ hostile }, n) => hostile.tool('get_valuation_summary', { on: day(n), by: 'location' }),
  },
  'strangers at /docs': { parallel: 32, ask: ({ origin }) => ({ url: `${origin}/docs` }) },
  'strangers at /healthz': { parallel: 32, ask: ({ origin }) => ({ url: `${origin}/healthz` }) },
}

/** Sends twenty requests at once on each connection, and reads the answers. */
async function pipelined(port: number, path: string, connections: number, until: AbortSignal): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const requests = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`.repeat(20)
  const one = () =>
    new Promise<void>((resolve) => {
      const began = performance.now()
      let answered = 0
      const socket = connect(port, '127.0.0.1', () => socket.write(requests))
      until.addEventListener('abort', () => socket.destroy())
      socket.on('data', (chunk: Buffer) => {
        for (const [, status] of chunk.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3}) /g)) {
          outcomes.push({ ms: performance.now() - began, status: Number(status) })
          answered += 1
          if (answered % 20 === 0) socket.write(requests)
        }
      })
      socket.on('error', () => undefined)
      socket.on('close', () => resolve())
    })
  await Promise.all(Array.from({ length: connections }, one))
  return outcomes
}
