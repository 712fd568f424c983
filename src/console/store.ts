import { utc } from '../database/client.ts'
import type { Pool } from '../database/pool.ts'
import { choicesSchema, type Upload } from './import/choices.ts'
import { type Query, tokenQueries } from './store-tokens.ts'

/** A studio of the signed-in person; `plan` is null when it cannot create tokens now. */
export type Studio = {
  id: string
  name: string
  role: string
  publicApi: boolean
  mayManage: boolean
  plan: string | null
  /** The currency of the studio's amounts, ISO 4217. */
  currency: string
  /** The time zone of the studio's calendar, an IANA name. */
  timezone: string
  /** The studio's name for the person. */
  you: string
  /** The person's user id. */
  yourId: string
}

export type Person = { id: string; email: string; studios: readonly Studio[] }

export type Member = {
  id: string
  name: string
  email: string
  role: string
  since: string
  /** Working tokens that act only as the member. The removal revokes them. */
  tokens: number
  /** Working tokens that act as the member now, and after the removal as their issuers. */
  scopedTokens: number
  /** Analysts' logins that end with the removal. */
  analystLogins: number
}

/** A studio's current plan. Without one, everything but `publicApi` and `includesApi` is null. */
export type Plan = {
  /** pro, pro_insure or studio. */
  plan: string | null
  /** trialing, active, past_due or canceled. */
  status: string | null
  trialEndsAt: string | null
  periodStart: string | null
  periodEnd: string | null
  renews: 'month' | 'year' | null
  publicApi: boolean
  /** Whether the plan includes the API. It also needs `publicApi`. */
  includesApi: boolean
}

type NewMember = { email: string; name: string; role: string }

export type LogEntry = {
  /** A bigint as text. */
  id: string
  at: string
  event: string
  actor: string
  actorEmail: string
  /** The name of the token, if the entry is about one. */
  name: string | null
  prefix: string | null
  scope: string | null
  /** The member, if the entry is about one. */
  member: string | null
  /** The role that was given, or the name that the studio had before. */
  detail: string | null
  /** The import, if the entry is about one. */
  imported: { kind: string; file: string; sha256: string; rows: number; added: number; changed: number } | null
}

type SignIn = { email: string; assertion: Buffer; assertionExpires: Date; session: Buffer; expires: Date }

/** The console's queries, as studio_console. They throw StatementFailed: SI401 when nobody is
 * signed in, SI404 for what the person cannot see, 42501 for actions of owners and admins. */
export type Store = ReturnType<typeof createStore>

export function createStore(pool: Pool) {
  const query: Query = (name, text, values) => pool.query({ name: `console_${name}`, text }, values)
  return {
    ...tokenQueries(query),

    /** @throws StatementFailed SI404 for an unknown e-mail address, SI409 for a used assertion */
    async signIn({ email, assertion, assertionExpires, session, expires }: SignIn): Promise<void> {
      const values = [email, assertion, assertionExpires, session, expires]
      await query('sign_in', 'select console.sign_in($1, $2, $3, $4, $5)', values)
    },

    /** Whether this is the first use of something sealed. */
    async useOnce(used: Buffer, expires: Date): Promise<boolean> {
      const text = 'select console.use_once($1, $2) as first'
      const [row] = await query<{ first: boolean }>('use_once', text, [used, expires])
      return row?.first === true
    },

    async signOut(session: Buffer): Promise<void> {
      await query('sign_out', 'select console.sign_out($1)', [session])
    },

    /** Returns null when nobody is signed in. */
    async person(session: Buffer): Promise<Person | null> {
      const rows = await query<Omit<Studio, 'id' | 'yourId'> & { studioId: string | null; id: string; email: string }>(
        'list_studios',
        `select studio_id as "studioId", name, role, public_api as "publicApi", may_manage as "mayManage", plan,
           currency, timezone, user_id as id, user_name as you, user_email as email
         from console.list_studios($1)`,
        [session],
      )
      const [first] = rows
      if (first === undefined) return null
      const studios = rows.flatMap(({ studioId, name, role, publicApi, mayManage, plan, currency, timezone, you }) =>
        studioId === null
          ? []
          : [{ id: studioId, name, role, publicApi, mayManage, plan, currency, timezone, you, yourId: first.id }],
      )
      return { id: first.id, email: first.email, studios }
    },

    members: (session: Buffer, studioId: string) =>
      query<Member>(
        'list_members',
        `select user_id as id, name, email, role, ${utc('since')} as since, own_tokens::int as tokens,
           scoped_tokens::int as "scopedTokens", analyst_logins::int as "analystLogins"
         from console.list_members($1, $2)`,
        [session, studioId],
      ),

    async plan(session: Buffer, studioId: string): Promise<Plan> {
      const [row] = await query<Plan>(
        'read_plan',
        `select plan, status, ${utc('trial_ends_at')} as "trialEndsAt", ${utc('period_start')} as "periodStart",
           ${utc('period_end')} as "periodEnd", renews, public_api as "publicApi", includes_api as "includesApi"
         from console.read_plan($1, $2)`,
        [session, studioId],
      )
      if (!row) throw new Error('console.read_plan returned no row')
      return row
    },

    /** @returns the user's id @throws also 22023 for a bad e-mail address, SI409 for a member */
    async admitMember(session: Buffer, studioId: string, { email, name, role }: NewMember): Promise<string> {
      const values = [session, studioId, email, name, role]
      const text = 'select console.admit_member($1, $2, $3, $4, $5) as id'
      const [row] = await query<{ id: string }>('admit_member', text, values)
      return row?.id ?? ''
    },

    /** @throws StatementFailed also 22023 for an unknown role, SI409 for the last owner */
    async changeRole(session: Buffer, studioId: string, userId: string, role: string): Promise<void> {
      await query('change_role', 'select console.change_role($1, $2, $3, $4)', [session, studioId, userId, role])
    },

    /** @throws StatementFailed also SI409 for the last owner */
    async dismissMember(session: Buffer, studioId: string, userId: string): Promise<void> {
      await query('dismiss_member', 'select console.dismiss_member($1, $2, $3)', [session, studioId, userId])
    },

    /** @param before the id of the previous page's last entry; null for the newest */
    auditLog: (session: Buffer, studioId: string, before: string | null) =>
      query<LogEntry>(
        'list_audit_log',
        `select id, ${utc('at')} as at, event, actor_name as actor, actor_email as "actorEmail", token_name as name,
           token_prefix as prefix, scope_name as scope, member_name as member, detail, import as imported
         from console.list_audit_log($1, $2, $3)`,
        [session, studioId, before],
      ),

    /** Stores a file to import. Replaces the person's last file for the studio. */
    async keepUpload(session: Buffer, studioId: string, { content, choices }: Upload, digest: Buffer): Promise<void> {
      const values = [session, studioId, content, JSON.stringify(choices), digest]
      await query('keep_upload', 'select console.keep_upload($1, $2, $3, $4, $5)', values)
    },

    /** Returns undefined if another file has replaced it, it was imported, or an hour has passed. */
    async upload(session: Buffer, studioId: string, digest: Buffer): Promise<Upload | undefined> {
      const [row] = await query<{ content: Buffer; choices: unknown }>(
        'read_upload',
        'select content, choices from console.read_upload($1, $2, $3)',
        [session, studioId, digest],
      )
      return row && { content: row.content, choices: choicesSchema.parse(row.choices) }
    },
  }
}
