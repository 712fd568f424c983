import { utc } from '../../database/client.ts'
import type { Transaction } from '../../database/session.ts'
import { counted } from '../../domain/text.ts'
import { unknown } from '../failure.ts'
import { findUser, ownerOf } from '../lookup.ts'

/** The roles of members. */
export const roles = ['owner', 'admin', 'member'] as const

/** A member of a studio, with what their removal does; `since` is RFC 3339 in UTC. */
export type Member = {
  id: string
  email: string
  name: string
  role: string
  since: string
  /** Working tokens that act as the member alone, and are revoked with the removal. */
  tokens: number
  /** Working tokens that act as the member, and as their issuers, other members, afterwards. */
  scoped_tokens: number
  /** Logins of analysts that end with it. */
  analyst_logins: number
}

/** The members of a studio by name. */
export function membersOf(transaction: Transaction, studioId: string): Promise<Member[]> {
  return transaction.query<Member>(
    `select user_id as id, email, name, role, ${utc('since')} as since, own_tokens::int as tokens,
       scoped_tokens::int, analyst_logins::int
     from access.list_members($1)`,
    [studioId],
  )
}

/** The member of a studio with this e-mail (ASCII in any case). @throws CommandError when there is none */
export async function findMember(transaction: Transaction, studioId: string, email: string): Promise<Member> {
  const members = await membersOf(transaction, studioId)
  const found = members.find((member) => member.email.toLowerCase() === email.toLowerCase())
  if (found) return found
  const known = members.map((member) => ({ name: member.email }))
  throw unknown('the studio has no such member', email, known, 'studio-inventory member list --studio …')
}

/** The user id of the one in whose name it is done: the e-mail given, else the studio's first owner. */
export function doerOf(transaction: Transaction, studioId: string, by: string | undefined): Promise<string> {
  return by ? findUser(transaction, by) : ownerOf(transaction, studioId)
}

/** What the removal of a member does, in whole sentences. */
export function consequences({ name, tokens, scoped_tokens, analyst_logins }: Member): string {
  return [
    `${name} loses access to the studio at once.`,
    tokens > 0 &&
      `${counted(tokens, 'token', 'tokens')} that ${tokens === 1 ? 'acts' : 'act'} as ${name} will be revoked.`,
    scoped_tokens > 0 &&
      `${counted(scoped_tokens, 'token', 'tokens')} of others scoped to ${name} will act as ${scoped_tokens === 1 ? 'its issuer' : 'their issuers'}.`,
    analyst_logins > 0 && `${counted(analyst_logins, "analyst's login", "analysts' logins")} will see nothing.`,
  ]
    .filter(Boolean)
    .join(' ')
}
