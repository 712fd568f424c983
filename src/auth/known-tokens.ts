import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../database/pool.ts'

/** Tells tokens that have been issued from guesses, without asking the database for each of them. */
export type KnownTokens = {
  /**
   * Whether a token of this digest has been issued and was not revoked when it was read here. By the first bytes of digests, so it
   * authenticates nothing. A token that is not known yet waits until the newest have been read: half a second, and what that takes.
   *
   * @throws DatabaseUnavailable, StatementFailed
   */
  has(digest: Buffer): Promise<boolean>
}

type Row = { prefixes: Buffer; next_since: string }

const prefixBytes = 8
const statement = { name: 'access.token_prefixes', text: 'select * from access.token_prefixes($1)' }

/** The newest tokens are read this often at most, in milliseconds, however many guesses there are. */
const pauseMs = 500

/** Reads the tokens when it is first asked, then only those that are new. */
export function createKnownTokens(pool: Pick<Pool, 'query'>): KnownTokens {
  const known = new Set<string>()
  let since = '-infinity'
  /** The end of the pause after what was read last, and what is read after it. */
  let current: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function read(): Promise<void> {
    const [row] = await pool.query<Row>(statement, [since])
    if (row === undefined) return
    const prefixes = row.prefixes.toString('latin1')
    for (let at = 0; at < prefixes.length; at += prefixBytes) known.add(prefixes.slice(at, at + prefixBytes))
    since = row.next_since
  }

  function readNext(): Promise<void> {
    const reading = current.then(() => {
      next = undefined
      return read()
    })
    current = Promise.allSettled([reading, current.then(() => sleep(pauseMs, undefined, { ref: false }))])
    return reading
  }

  return {
    async has(digest) {
      const prefix = digest.toString('latin1', 0, prefixBytes)
      if (known.has(prefix)) return true
      next ??= readNext()
      await next
      return known.has(prefix)
    },
  }
}
