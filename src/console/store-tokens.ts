import type { ActivityDetails } from '../auth/recorder.ts'
import { utc } from '../database/client.ts'
import { networks } from '../tokens/issue-token.ts'

/** Timestamps are RFC 3339 in UTC with milliseconds. */
export type ApiToken = {
  id: string
  name: string
  prefix: string
  issuedBy: string
  /** The member that the token acts as; null if it acts as its issuer. */
  scope: string | null
  /** The member that the token acted as until their removal. */
  formerScope: string | null
  /** Whether the API refuses the token because its issuer, as whom it acts, has left the studio. */
  refused: boolean
  createdAt: string
  lastUsedAt: string | null
  revokedAt: string | null
  /** When it expires; null: never. */
  expiresAt: string | null
  expired: boolean
  /** Where its requests may come from; null: anywhere. */
  addresses: string[] | null
}

export type ApiRequest = {
  at: string
  endpoint: string
  status: number
  durationMs: number
  tokenId: string
  /** Null if the request was recorded without an id. */
  id: string | null
  /** Null after 90 days, when the service forgets the details. */
  details: ActivityDetails | null
}

type NewToken = {
  name: string
  scopeUserId: string | null
  /** `YYYY-MM-DD` on the studio's calendar; null: never expires. */
  lastDay: string | null
  addresses: string[] | null
  secretPrefix: string
  proDigest: Buffer
  studioDigest: Buffer
}
type IssuedToken = { id: string; tier: 'pro' | 'studio' }
/** Runs a query of the console. `name` is its name in metrics and traces. */
export type Query = <Row extends object>(name: string, text: string, values: readonly unknown[]) => Promise<Row[]>

/** The console's queries about tokens. They throw the same errors as those in store.ts. */
export function tokenQueries(query: Query) {
  return {
    tokens: (session: Buffer, studioId: string) =>
      query<ApiToken>(
        'list_tokens',
        `select token_id as id, name, prefix, issued_by_name as "issuedBy", scope_name as scope,
           former_scope_name as "formerScope", refused_for_issuer as refused, ${utc('created_at')} as "createdAt",
           ${utc('last_used_at')} as "lastUsedAt", ${utc('revoked_at')} as "revokedAt",
           ${utc('expires_at')} as "expiresAt", expired, addresses
         from console.list_tokens($1, $2)`,
        [session, studioId],
      ),

    /** @param tokenId null: of all tokens @param requestId null: all requests */
    activity: (session: Buffer, studioId: string, tokenId: string | null, requestId: string | null = null) =>
      query<ApiRequest>(
        'token_activity',
        `select ${utc('at')} as at, endpoint, status, duration_ms as "durationMs", token as "tokenId", request as id, details
         from console.token_activity($1, $2, $3, $4)`,
        [session, studioId, tokenId, requestId],
      ),

    async issueToken(session: Buffer, studioId: string, token: NewToken): Promise<IssuedToken> {
      const { name, scopeUserId, secretPrefix, proDigest, studioDigest, lastDay, addresses } = token
      const [issued] = await query<IssuedToken>(
        'issue_token',
        `select token_id as id, tier from console.issue_token($1, $2, $3, $4, $5, $6, $7, $8, ${networks('$9')})`,
        [session, studioId, name, scopeUserId, secretPrefix, proDigest, studioDigest, lastDay, addresses],
      )
      if (!issued) throw new Error('console.issue_token returned no row')
      return issued
    },

    async revokeToken(session: Buffer, studioId: string, tokenId: string): Promise<void> {
      await query('revoke_token', 'select console.revoke_token($1, $2, $3)', [session, studioId, tokenId])
    },
  }
}
