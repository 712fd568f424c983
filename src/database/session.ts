import { type BulkTransaction, inTransaction, type Transaction } from './client.ts'

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
