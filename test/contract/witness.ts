import { randomUUID } from 'node:crypto'
import { afterAll, expect, inject } from 'vitest'
import { operations, prefix } from '../../src/api/operations.ts'
import { type Reply, witnesses } from '../support/client.ts'
import { verdictOf } from './prism.ts'
import { exchangeHeader, type Recorded } from './replay.ts'

/**
 * Every exchange of a test file that the description speaks of passes through Prism too, once its tests are over, so that
 * Prism slows none of them down. What Prism has against any of them fails the file.
 */
const patterns = operations.map(({ path }) => ({
  pattern: new RegExp(`^${prefix}${path.replace('{id}', '[^/]+')}$`),
  // A malformed id could lead elsewhere before Prism sees it, and is not what is validated.
  plain: path.replace('{id}', randomUUID()),
}))
type Exchange = { path: string; plain: string; reply: Reply }
const exchanges: Exchange[] = []

witnesses.push((method, path, reply) => {
  const [address = ''] = path.split('?')
  const plain = patterns.find(({ pattern }) => pattern.test(address))?.plain
  // Prism does not unpack, and what was compressed is what is sent to others as it is.
  const isPacked = reply.headers['content-encoding'] !== undefined
  if (method === 'GET' && plain !== undefined && !isPacked) exchanges.push({ path, plain, reply })
})

afterAll(async () => {
  const violations: string[] = []
  const left = exchanges.values()
  const validateAll = async () => {
    for (const exchange of left) {
      const verdict = await validate(exchange)
      if (verdict !== null) violations.push(`${exchange.path.slice(0, 300)} → ${exchange.reply.status}: ${verdict}`)
    }
  }
  await Promise.all(Array.from({ length: 8 }, validateAll))
  console.log(`Prism saw ${exchanges.length} exchanges and objected to ${violations.length}`)
  expect(violations).toEqual([])
})

/** A number that JSON does not carry exactly: the service takes it, the description cannot say so. */
const beyondJson = /[?&](?:page|per_page)=0*\d{16,}/

async function validate({ path, plain, reply }: Exchange): Promise<string | null> {
  const { replay, validating, passing } = inject('witnessing')
  const name = randomUUID()
  const answer: Recorded = { status: reply.status, headers: reply.rawHeaders, body: reply.bytes.toString('base64') }
  await fetch(`${replay}/${name}`, { method: 'PUT', body: JSON.stringify(answer) })
  // A request that the service took is validated against the description as well.
  const wasTaken = reply.status === 200 && !beyondJson.test(path)
  // Prism demands a token of every request, of those too that the service refused for having none.
  const response = await fetch(wasTaken ? validating + asPrismReads(path) : passing + plain, {
    headers: { Authorization: 'Bearer token', [exchangeHeader]: name },
  })
  const body = await response.text()
  return verdictOf(body) ?? (response.status === reply.status ? null : `came through as ${response.status}: ${body}`)
}

/** The target without `/v1`, and without parameters in capitals: Prism takes PAGE for page, the service and OpenAPI do not. */
function asPrismReads(path: string): string {
  const [address = '', query = ''] = path.slice(prefix.length).split('?')
  return `${address}?${query
    .split('&')
    .filter((pair) => !/^[^=]*[A-Z]/.test(pair))
    .join('&')}`
}
