import type { Transaction } from './client.ts'

/** For the beginning of a transaction that is begun with several statements at once. */
export const builtInNames = 'set local search_path = pg_catalog, pg_temp'

/**
 * Makes names without a schema, operators included, mean PostgreSQL's own until the end of the transaction. Whoever may
 * create objects in the database, or set its search_path, could otherwise have their code run by whoever queries.
 */
export async function useBuiltInNames(transaction: Transaction): Promise<void> {
  await transaction.query(builtInNames)
}
