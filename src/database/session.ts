import { type BulkTransaction, inTransaction, type Transaction } from './client.ts'
import { sqlState } from './errors.ts'

export type { BulkTransaction, Transaction }

/**
 * Runs `work` in one transaction as studio_writer, seeing and writing the rows of one studio only (row-level security).
 *
 * @param url the connection string of studio_writer
 * @param signal ends the transaction, unless it is being committed
 * @throws what `work` or the database throws, or the reason of the signal; everything is rolled back then
 */
export function withStudioWriter<Result>(
  url: string,
  studioId: string,
  work: (transaction: BulkTransaction) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  return inTransaction(
    url,
    async (transaction) => {
      await enterStudio(transaction, studioId)
      return work(transaction)
    },
    signal,
  )
}

/**
 * What holds for a long read: `studio_api` is set up for short requests, whose plans are made without statistics, and is ended by
 * timeouts that a report of many items would exceed between two batches.
 */
const longRead = {
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '60s',
  enable_seqscan: 'on',
  enable_sort: 'on',
  enable_bitmapscan: 'on',
  plan_cache_mode: 'auto',
}

/**
 * Runs `work` in one read-only transaction, on a connection of its own, that sees one moment of one studio (row-level security): for
 * what takes longer than a request may. Not on the pool of the API, whose connections it would keep.
 *
 * @param url the connection string of a login that is trusted to name its studio, and reads `api_v1`
 * @throws what `work` or the database throws
 */
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

/** The setting in which a trusted login names the studio that it serves. */
export const studioSetting = 'studio.id'

/** Opens a studio's session until the end of the transaction: row-level security allows only its rows. */
export async function enterStudio(transaction: Transaction, studioId: string): Promise<void> {
  await transaction.query(`select pg_catalog.set_config('studio.id', $1, true)`, [studioId])
}

/**
 * Runs `work` in one transaction as studio_owner, for management functions and maintenance.
 *
 * @param url the administrator's connection string
 * @throws what `work` or the database throws; everything is rolled back then
 */
export function asOwner<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set local role studio_owner')
    return work(transaction)
  })
}

/**
 * Runs `work` in one transaction with the administrator's own rights: for creating, changing or dropping a login.
 *
 * @param url the administrator's connection string
 * @throws what `work` or the database throws; everything is rolled back then
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
 * is neither a superuser nor a member of it reads the audit as its owner.
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
