import type { OperationRow } from '../database/operation-row.ts'
import type { Pool } from '../database/pool.ts'

/** PostgreSQL's answer about a token: status 200, 401 or 403, and the version of the data. */
export type Authenticated = Pick<
  OperationRow,
  'status' | 'token_id' | 'studio_id' | 'plan_tier' | 'version' | 'watermark'
>

/** Authenticates the digest of a token from an address (null: unknown).
 * @throws DatabaseUnavailable, StatementFailed */
export type Authenticate = (digest: Buffer, address: string | null) => Promise<Readonly<Authenticated>>

/** What `access.authenticate_batch()` returns if something may have changed. */
type BatchResult = {
  state: string | null
  watermark: string | null
  tokens: [number, string | null, string | null, string | null, string | null][]
}

type Waiting = { digest: Buffer; address: string | null } & PromiseWithResolvers<Authenticated>

/** How many pairs of token and address to remember. */
const maxRemembered = 10_000

const statement = {
  name: 'access.authenticate_batch',
  text: 'select access.authenticate_batch($1, $2, $3) as result',
}

/** Authenticates together, in one statement, the requests of one turn of the event loop, or
 * those that arrive while a statement runs. PostgreSQL first compares its state with that of
 * its last answer: if they are equal, the remembered results are still valid. */
export function createAuthentication(pool: Pool): Authenticate {
  let remembered: { state: string; results: Map<string, Authenticated> } | undefined
  let waiting = new Map<string, Waiting>()
  let isBusy = false

  async function authenticate(batch: ReadonlyMap<string, Waiting>): Promise<(Authenticated | undefined)[]> {
    const keys = [...batch.keys()]
    const asked = [...batch.values()]
    const last = remembered && keys.every((key) => remembered?.results.has(key)) ? remembered : undefined
    const digests = Buffer.concat(asked.map(({ digest }) => digest))
    const values = [digests, asked.map(({ address }) => address), last?.state ?? null]
    const [row] = await pool.queryUninstrumented<{ result: string | null }>(statement, values)
    if (row?.result == null && last) return keys.map((key) => last.results.get(key))
    const { state, watermark, tokens }: BatchResult = JSON.parse(row?.result ?? '{"tokens":[]}')
    const results = tokens.map(
      ([status, token_id, studio_id, plan_tier, version]): Authenticated => ({
        ...{ status, token_id, studio_id, plan_tier, version, watermark: status === 401 ? null : watermark },
      }),
    )
    if (state !== null) {
      if (remembered?.state !== state || remembered.results.size >= maxRemembered)
        remembered = { state, results: new Map() }
      for (const [index, result] of results.entries()) remembered.results.set(keys[index] ?? '', result)
    }
    return results
  }

  async function send(): Promise<void> {
    const batch = waiting
    waiting = new Map()
    try {
      const results = await authenticate(batch)
      for (const [index, { resolve, reject }] of [...batch.values()].entries()) {
        const result = results[index]
        if (result) resolve(result)
        else reject(new Error(`${statement.name} did not answer for every token`))
      }
    } catch (error) {
      for (const { reject } of batch.values()) reject(error)
    }
    isBusy = waiting.size > 0
    if (isBusy) void send()
  }

  function join(digest: Buffer, address: string | null): Promise<Authenticated> {
    const key = digest.toString('latin1') + address
    const same = waiting.get(key)
    if (same) return same.promise
    pool.admit(waiting.size)
    const next = { digest, address, ...Promise.withResolvers<Authenticated>() }
    waiting.set(key, next)
    if (!isBusy) setImmediate(send)
    isBusy = true
    return next.promise
  }

  // The instrumentation counts one statement for each request.
  return (digest, address) => pool.instrumented(statement.name, async () => join(digest, address))
}
