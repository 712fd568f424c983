import { inTransaction, type Transaction } from '../database/client.ts'
import { sqlState } from '../database/errors.ts'

/** Runs `work` in a read-only transaction with the login's own rights. */
export function asReader<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set transaction read only')
    return work(transaction)
  })
}

/** Runs `work` in a read-only transaction as studio_auditor, which reads only the audit. An
 * administrator who is neither a superuser nor a member of that role reads the audit as its
 * owner. Any other login fails with 42501. */
export function asAuditor<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return asReader(url, async (transaction) => {
    await transaction.query('savepoint own_role')
    try {
      await transaction.query('set local role studio_auditor')
    } catch (error) {
      if (sqlState(error) !== '42501') throw error
      await transaction.query('rollback to savepoint own_role')
      await transaction.query('set local role studio_owner')
    }
    return work(transaction)
  })
}
