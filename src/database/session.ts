import { setTimeout as sleep } from 'node:timers/promises'
import { type BulkTransaction, type Client, inTransaction, type Transaction } from './client.ts'
import { isConflict, sqlState } from './errors.ts'

// Each function rolls back when `work` or the database throws, and throws the same error.
export type { BulkTransaction, Transaction }

/** Runs `work` in a transaction of studio_writer, on one studio's rows (row-level security).
 * @param database a connection string, or an open connection that the caller closes */
export function withStudioWriter<Result>(
  database: string | Client,
  studioId: string,
  work: (transaction: BulkTransaction) => Promise<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const inStudio = async (transaction: BulkTransaction) => {
    await enterStudio(transaction, studioId)
    return work(transaction)
  }
  return inTransaction(database, inStudio, signal)
}

/** studio_api is set up to read pages of a list by an index. Sums need PostgreSQL's own settings. */
export const plannerDefaults = {
  enable_seqscan: 'on',
  enable_sort: 'on',
  enable_bitmapscan: 'on',
  plan_cache_mode: 'auto',
}

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

/** In this setting a trusted login names the studio that it serves. */
export const studioSetting = 'studio.id'

/** Opens a studio's session until the transaction ends: row-level security allows only its rows. */
export async function enterStudio(transaction: Transaction, studioId: string): Promise<void> {
  await transaction.query(`select pg_catalog.set_config('studio.id', $1, true)`, [studioId])
}

/** Runs `work` as studio_owner, on a connection of the administrator. It manages and maintains. */
export function asOwner<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set local role studio_owner')
    return work(transaction)
  })
}

/** Runs `work` in a transaction with the administrator's rights: changes logins. */
export { inTransaction as asAdministrator } from './client.ts'

/** How long to try, and the pause after each attempt, in milliseconds. */
const [patienceMs, pauseMs] = [30_000, 50]

/** Runs `work` again while it loses a lock or a role to another transaction, for half a minute at
 * most. Runs `between` after each failure. */
export async function retryConflicts<Result>(
  work: () => Promise<Result>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<Result> {
  for (const end = Date.now() + patienceMs; ; await sleep(pauseMs)) {
    try {
      return await work()
    } catch (error) {
      if (!isConflict(error) || Date.now() > end) throw error
    }
    await between().catch(() => undefined)
  }
}

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
