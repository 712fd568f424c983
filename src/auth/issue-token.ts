import type { Transaction } from '../database/session.ts'
import { digestOf, newSecret, type TokenTier, tokenOf } from './token.ts'

export type TokenRequest = {
  studioId: string
  /** User id of an owner or admin of the studio. */
  issuedBy: string
  name: string
  /** User id of the member that the token acts as; null lets it act as its issuer. */
  scopeUserId: string | null
}

export type IssuedToken = { id: string; prefix: string; token: string }

/**
 * Issues a token in a transaction of the owner. The secret is generated here, and only digests of the token go to the
 * database: the returned text is the only copy.
 *
 * Throws what access.issue_token raises: who may issue, which plan allows it, who can be the scope.
 */
export async function issueToken(transaction: Transaction, request: TokenRequest): Promise<IssuedToken> {
  const { prefix, digests, textOf } = makeToken()
  const [issued] = await transaction.query<{ id: string; tier: TokenTier; prefix: string }>(
    'select token_id as id, tier, prefix from access.issue_token($1, $2, $3, $4, $5, $6, $7)',
    [request.studioId, request.issuedBy, request.name, request.scopeUserId, prefix, digests.pro, digests.studio],
  )
  if (!issued) throw new Error('access.issue_token returned no row')
  return { id: issued.id, prefix: issued.prefix, token: textOf(issued.tier) }
}

/** A new secret, as it is passed to the database, where the plan picks the tier: digests of both texts, and no text. */
export function makeToken() {
  const secret = newSecret()
  return {
    /** The first characters of the secret, for display. */
    prefix: secret.slice(0, 4),
    digests: { pro: digestOf(tokenOf('pro', secret)), studio: digestOf(tokenOf('studio', secret)) },
    textOf: (tier: TokenTier) => tokenOf(tier, secret),
  }
}
