import { inTransaction, type Transaction } from '../database/client.ts'
import { enterStudio, plannerDefaults } from '../database/session.ts'

const longRead = { ...plannerDefaults, statement_timeout: '60s', idle_in_transaction_session_timeout: '60s' }

/** Runs `work` in a read-only transaction on a snapshot of one studio. Row-level security trusts
 * the login of `url` to name its studio; the login reads `api_v1`. */
export function withStudioReader<Result>(
  url: string,
  studioId: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set transaction isolation level repeatable read, read only')
    for (const [name, value] of Object.entries(longRead)) await transaction.query(`set local ${name} = '${value}'`)
    await enterStudio(transaction, studioId)
    return work(transaction)
  })
}
