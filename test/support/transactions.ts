import type { Transaction } from '../../src/database/client.ts'
import { createPool } from '../../src/database/pool.ts'
import { makeLogger } from '../../src/log.ts'

/** Transactions on connections that are kept. */
export type Transactions = {
  /** Runs `work` in one transaction, and rolls it back when it throws. */
  run<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result>
  end(): Promise<void>
}

/** The statement in flight reports a lost connection. */
const ignore = () => undefined

/** Keeps up to two connections of a login. */
export function keepTransactions(url: string): Transactions {
  const pool = createPool(url, {
    applicationName: 'test',
    size: 2,
    acquireTimeoutMs: 30_000,
    statementTimeoutMs: 30_000,
    log: makeLogger({ level: 'silent' }),
  })
  return {
    async run(work) {
      const client = await pool.connect()
      let lost: Error | undefined
      client.on('error', ignore)
      try {
        await client.query('begin')
        const result = await work({
          query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
            (await client.query<Row>(text, [...values])).rows,
        })
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch((failure: Error) => {
          lost = failure
        })
        throw error
      } finally {
        client.off('error', ignore)
        client.release(lost)
      }
    },
    end: () => pool.close(),
  }
}
