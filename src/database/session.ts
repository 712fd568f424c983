import { type BulkTransaction, inTransaction, type Transaction } from './client.ts'

// Each function rolls back when `work` or the database throws, and throws the same error.
export type { BulkTransaction, Transaction }

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
