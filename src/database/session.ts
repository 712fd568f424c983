import { type BulkTransaction, inTransaction, type Transaction } from './client.ts'
import { sqlState } from './errors.ts'

export type { BulkTransaction, Transaction }

/**
 * Runs `work` in one transaction as studio_writer, seeing and writing the rows of one studio only (row-level security).
 *
 * @param url the connection string of studio_writer
 * @throws what `work` or the database throws; nothing is kept then
 */
export function withStudioWriter<Result>(
  url: string,
  studioId: string,
  work: (transaction: BulkTransaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await enterStudio(transaction, studioId)
    return work(transaction)
  })
}

/** The setting by which a login that is believed says which studio it serves. */
export const studioSetting = 'studio.id'

/** Opens a studio's session until the end of the transaction: row-level security shows and takes its rows alone. */
export async function enterStudio(transaction: Transaction, studioId: string): Promise<void> {
  await transaction.query(`select pg_catalog.set_config('studio.id', $1, true)`, [studioId])
}

/**
 * Runs `work` in one transaction as studio_owner, for management functions and maintenance.
 *
 * @param url the administrator's connection string
 * @throws what `work` or the database throws; nothing is kept then
 */
export function asOwner<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set local role studio_owner')
    return work(transaction)
  })
}

/**
 * Runs `work` in one transaction with the administrator's own rights: for what makes, changes or drops a login.
 *
 * @param url the administrator's connection string
 * @throws what `work` or the database throws; nothing is kept then
 */
export function asAdministrator<Result>(
  url: string,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(url, work)
}

/**
 * Runs `work` in one read-only transaction with the login's own rights: for what only an administrator is shown.
 *
 * @throws what `work` or the database throws
 */
export function asReader<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set transaction read only')
    return work(transaction)
  })
}

/**
 * Runs `work` in one read-only transaction as studio_auditor, who reads the audit and nothing else. An administrator who
 * is no superuser and no member of it reads the audit as its owner.
 *
 * @param url the connection string of a member of studio_auditor, or of the administrator
 * @throws what `work` or the database throws; 42501 when the login is neither
 */
export function asAuditor<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set transaction read only')
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
