import { digestOf, newSecret, type TokenTier, tokenOf } from '../auth/token.ts'
import { utc } from '../database/client.ts'
import type { Transaction } from '../database/session.ts'

type TokenRequest = {
  studioId: string
  /** The user id of an owner or admin of the studio. */
  issuedBy: string
  name: string
  /** The user id of the member that the token acts as. Null: it acts as its issuer. */
  scopeUserId: string | null
  /** The last day (`YYYY-MM-DD`) on the studio's calendar, or an RFC 3339 instant. Null: never. */
  expires?: string | null
  /** Addresses and networks that may send requests, as `readAddresses` returns them. Null: any. */
  addresses?: string[] | null
}

/** `expires_at` is RFC 3339 in UTC, or null for never. `addresses` is null for any. */
type IssuedToken = {
  id: string
  prefix: string
  token: string
  expires_at: string | null
  addresses: string[] | null
}

/** Issues a token in a transaction of the owner. The database gets only digests: the returned
 * text is the only copy.
 * @throws what access.issue_token raises: who may issue, which plan allows it, who can be the
 * scope */
export async function issueToken(transaction: Transaction, request: TokenRequest): Promise<IssuedToken> {
  const { prefix, digests, textOf } = makeToken()
  const [issued] = await transaction.query<{ id: string; tier: TokenTier; prefix: string }>(
    `select token_id as id, tier, prefix from access.issue_token($1, $2, $3, $4, $5, $6, $7,
       case when $8 ~ '^\\d{4}-\\d\\d-\\d\\d$' then access.end_of_day($1, $8::date) else $8::timestamptz end, ${networks('$9')})`,
    [
      ...[request.studioId, request.issuedBy, request.name, request.scopeUserId, prefix, digests.pro, digests.studio],
      ...[request.expires ?? null, request.addresses ?? null],
    ],
  )
  if (!issued) throw new Error('access.issue_token returned no row')
  const [limits] = await transaction.query<Pick<IssuedToken, 'expires_at' | 'addresses'>>(
    `select ${utc('expires_at')} as expires_at, addresses from access.list_tokens($1) where token_id = $2`,
    [request.studioId, issued.id],
  )
  const { expires_at = null, addresses = null } = limits ?? {}
  return { id: issued.id, prefix: issued.prefix, token: textOf(issued.tier), expires_at, addresses }
}

/** An SQL expression: the networks in an array of texts, without their host bits. */
export function networks(texts: string): string {
  return `(select array_agg(network(written::inet)) from unnest(${texts}::text[]) as written)`
}

/** Makes a secret. The database gets its prefix and two digests, and picks the tier. */
export function makeToken() {
  const secret = newSecret()
  return {
    prefix: secret.slice(0, 4),
    digests: { pro: digestOf(tokenOf('pro', secret)), studio: digestOf(tokenOf('studio', secret)) },
    textOf: (tier: TokenTier) => tokenOf(tier, secret),
  }
}
