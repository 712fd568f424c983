import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../database/pool.ts'

/** Tells issued tokens from guesses by the first bytes of their digests; this does not
 * authenticate them. An unknown token waits until the newest tokens are read: half a second,
 * and the read.
 * @throws DatabaseUnavailable, StatementFailed */
type WasIssued = (digest: Buffer) => Promise<boolean>

const prefixBytes = 8
const statement = { name: 'access.token_prefixes', text: 'select * from access.token_prefixes($1)' }

/** The least time between two reads of the newest tokens, in milliseconds. */
const pauseMs = 500

/** The first call reads all tokens, later ones only new tokens. */
export function createGuessFilter(pool: Pick<Pool, 'query'>): WasIssued {
  const issued = new Set<string>()
  let since = '-infinity'
  /** `pause` resolves when the next read may begin; `next` is the read that waits for it. */
  let pause: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined

  async function read(): Promise<void> {
    const [row] = await pool.query<{ prefixes: Buffer; next_since: string }>(statement, [since])
    if (row === undefined) return
    const prefixes = row.prefixes.toString('latin1')
    for (let at = 0; at < prefixes.length; at += prefixBytes) issued.add(prefixes.slice(at, at + prefixBytes))
    since = row.next_since
  }

  function readNext(): Promise<void> {
    const reading = pause.then(() => {
      next = undefined
      return read()
    })
    pause = Promise.allSettled([reading, pause.then(() => sleep(pauseMs, undefined, { ref: false }))])
    return reading
  }

  return async (digest) => {
    const prefix = digest.toString('latin1', 0, prefixBytes)
    if (issued.has(prefix)) return true
    next ??= readNext()
    await next
    return issued.has(prefix)
  }
}
