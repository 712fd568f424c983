import type { Answer } from '../database/answer.ts'
import { createBatch } from '../database/batch.ts'
import type { Pool } from '../database/pool.ts'

/**
 * Authenticates a token with the version that the cache has of its studio, null for none: status 200, 304, 401 or 403, the version of this
 * moment, and no data.
 *
 * @param address of the client, as PostgreSQL reads it; null when it is unknown
 * @throws DatabaseUnavailable, StatementFailed
 */
export type Authenticate = (
  digest: Buffer,
  validator: string | null,
  address: string | null,
) => Promise<Readonly<Answer>>

/** What was said of a token, and how it is said to whoever knows the version. */
type Judged = { anew: Readonly<Answer>; unchanged: Readonly<Answer> }

/** What was said of tokens while the database was in one state. */
type Known = { state: string; judged: Map<string, Judged> }

/** What `access.authenticate_batch()` returns when something may have changed. */
type Said = {
  state: string | null
  watermark: string | null
  tokens: [
    status: number,
    token_id: string | null,
    studio_id: string | null,
    plan_tier: string | null,
    version: string | null,
  ][]
}

/** How many tokens are remembered, each with an address. */
const maxKnown = 10_000

/**
 * Authenticates the tokens of a database. One statement at a time takes all requests that came meanwhile, those with the same token
 * and address as one; two would each take fewer, for the same price.
 *
 * PostgreSQL is asked after each request arrived, whether it is in the state in which it last spoke of these tokens: the same
 * rows are visible, in the same second. What it said then is what it would say now, and it only says so.
 */
export function createAuthentication(primary: Pool): Authenticate {
  const statement = { name: 'access.authenticate_batch', text: 'select access.authenticate_batch($1, $2, $3) as said' }
  let known: Known | undefined

  async function ask(tokens: readonly Asked[]): Promise<readonly Judged[]> {
    const remembered = known && rememberedOf(known, tokens)
    const digests = Buffer.concat(tokens.map(([, digest]) => digest))
    const values = [digests, arrayOf(tokens), remembered ? known?.state : null]
    const [row] = await primary.queryUninstrumented<{ said: string | Buffer | null }>(statement, values)
    if (row?.said == null) {
      if (remembered === undefined) throw new Error(`${statement.name} did not answer`)
      return remembered
    }
    const said: Said = JSON.parse(String(row.said))
    const judged = said.tokens.map((token) => judgedOf(token, said.watermark))
    if (said.state !== null) remember(said.state, tokens, judged)
    return judged
  }

  function remember(state: string, tokens: readonly Asked[], judged: readonly Judged[]): void {
    if (known?.state !== state || known.judged.size > maxKnown) known = { state, judged: new Map() }
    for (const [index, [key]] of tokens.entries()) {
      const one = judged[index]
      if (one) known.judged.set(key, one)
    }
  }

  const send = createBatch<Judged, Asked>(primary, { name: statement.name, ask, keyOf: (key) => key, maxSize: 100 })
  return (digest, validator, address) =>
    send(digest.toString('latin1') + address, digest, address).then(({ anew, unchanged }) =>
      validator !== null && anew.status === 200 && anew.version === validator ? unchanged : anew,
    )
}

/** `key`: the rest as a text. */
type Asked = [key: string, digest: Buffer, address: string | null]

/** What is known of tokens; undefined unless all are known. */
function rememberedOf({ judged }: Known, tokens: readonly Asked[]): readonly Judged[] | undefined {
  const found: Judged[] = []
  for (const [key] of tokens) {
    const one = judged.get(key)
    if (one === undefined) return undefined
    found.push(one)
  }
  return found
}

function judgedOf(
  [status, token_id, studio_id, plan_tier, version]: Said['tokens'][number],
  at: string | null,
): Judged {
  const watermark = status === 401 ? null : at
  const anew = { ...noData, status, token_id, studio_id, plan_tier, version, watermark }
  return { anew, unchanged: { ...anew, status: 304 } }
}

const noData = { total: null, data: null, photo_keys: null, last_at: null, last_id: null, has_more: null }

/** The addresses as an array of PostgreSQL. They are addresses, so that nothing in them is to be quoted. */
const arrayOf = (tokens: readonly Asked[]) => `{${tokens.map(([, , address]) => address ?? 'null').join(',')}}`
