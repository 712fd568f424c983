import { utc } from '../../database/client.ts'
import type { Transaction } from '../../database/session.ts'
import { CommandError, unknown } from '../failure.ts'

/** A token of a studio as its list shows it; timestamps are RFC 3339 in UTC. */
export type ApiToken = {
  id: string
  name: string
  prefix: string
  issued_by: string
  scoped_to: string | null
  created_at: string
  last_used_at: string | null
  revoked_at: string | null
  expires_at: string | null
  expired: boolean
  /** Where its requests may come from; null: anywhere. */
  addresses: string[] | null
}

/** The tokens of a studio, newest first, revoked ones included. */
export function tokensOf(transaction: Transaction, studioId: string): Promise<ApiToken[]> {
  return transaction.query<ApiToken>(
    `select token_id as id, name, prefix, issued_by_email as issued_by, scope_email as scoped_to,
       ${utc('created_at')} as created_at, ${utc('last_used_at')} as last_used_at, ${utc('revoked_at')} as revoked_at,
       ${utc('expires_at')} as expires_at, expired, addresses
     from access.list_tokens($1)`,
    [studioId],
  )
}

/**
 * Finds a studio's token by its id, its display prefix or its name.
 *
 * @throws CommandError when none or several fit
 */
export async function findToken(transaction: Transaction, studioId: string, wanted: string): Promise<ApiToken> {
  const tokens = await tokensOf(transaction, studioId)
  const fitting = tokens.filter(({ id, prefix, name }) => [id, prefix, name].includes(wanted))
  const [found, ...others] = fitting
  if (!found) {
    const names = tokens.filter((token) => token.revoked_at === null)
    throw unknown('the studio has no such token', wanted, names, 'studio-inventory token list --studio …')
  }
  if (others.length > 0) {
    throw new CommandError(
      `${fitting.length} tokens match '${wanted}'`,
      `Give the id of one: ${fitting.map(({ id }) => id).join(', ')}`,
    )
  }
  return found
}
