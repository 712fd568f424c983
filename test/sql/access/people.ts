import { randomBytes } from 'node:crypto'
import type { Session, Sql, Studio } from '../support.ts'

/** A studio, and everybody who may or may not manage it. The values are users' ids. */
export type People = {
  studio: Studio
  owner: string
  admin: string
  member: string
  /** This person was an admin once. */
  removed: string
  /** This person owns another studio. */
  outsider: string
  elsewhere: Studio
}

export async function castPeople(sql: Sql): Promise<People> {
  const [studio, elsewhere] = [await sql.studio(), await sql.studio()]
  const removed = await join(sql, studio, 'admin')
  await leave(sql, studio, removed)
  return {
    studio,
    elsewhere,
    removed,
    owner: studio.owner,
    admin: await join(sql, studio, 'admin'),
    member: await join(sql, studio, 'member'),
    outsider: elsewhere.owner,
  }
}

/** Makes a new user a member and returns the user's id. */
export function join(sql: Sql, studio: { id: string }, role: 'owner' | 'admin' | 'member'): Promise<string> {
  const email = `${role}-${randomBytes(4).toString('hex')}@example.com`
  return sql.owner.value('select access.add_member($1, $2, $3, $4)', [studio.id, email, role, role])
}

/** Makes a user a member of one more studio. */
export async function addToStudio(sql: Sql, studio: { id: string }, user: string, role = 'admin'): Promise<void> {
  await sql.owner.rows(`select access.add_member($1, (select email from access.users where id = $2), null, $3)`, [
    studio.id,
    user,
    role,
  ])
}

export async function leave(sql: Sql, studio: { id: string }, user: string): Promise<void> {
  await sql.owner.rows('select access.remove_member($1, $2)', [studio.id, user])
}

/** Opens a session of the console for the person with an e-mail; its digest. */
export async function signIn(console: Session, email: string, expires = 'infinity'): Promise<Buffer> {
  const session = randomBytes(32)
  const values = [email, randomBytes(32), session, expires]
  await console.rows(`select console.sign_in($1, $2, now() + interval '1 minute', $3, $4)`, values)
  return session
}

export type Subscription = {
  plan?: 'pro' | 'pro_insure' | 'studio'
  status: 'trialing' | 'active' | 'past_due' | 'canceled'
  trialEnds?: string
  periodEnds?: string
}

export async function subscribe(sql: Sql, studio: { id: string }, to: Subscription): Promise<void> {
  await sql.owner.rows('select access.set_subscription($1, $2, $3, $4, null, $5)', [
    studio.id,
    to.plan ?? 'studio',
    to.status,
    to.trialEnds ?? null,
    to.periodEnds ?? null,
  ])
}

/** At noon on 1 June 2026: which subscriptions include API access, and which do not. */
export const noon = '2026-06-01T12:00:00Z'
const justNow = '2026-06-01T12:00:00.000Z'
const soon = '2026-06-01T12:00:00.001Z'

export const subscriptions: [what: string, subscription: Subscription, entitled: boolean][] = [
  ['an active one', { status: 'active' }, true],
  ['an active one whose period has passed', { status: 'active', periodEnds: '2020-01-01' }, true],
  ['a running trial', { status: 'trialing', trialEnds: soon }, true],
  ['a trial that has just ended', { status: 'trialing', trialEnds: justNow }, false],
  [
    'a trial that ended long ago within a period',
    { status: 'trialing', trialEnds: '2020-01-01', periodEnds: '2030-01-01' },
    false,
  ],
  ['a canceled one within its paid period', { status: 'canceled', periodEnds: soon }, true],
  ['a canceled one whose period has just ended', { status: 'canceled', periodEnds: justNow }, false],
  ['a canceled one without a period', { status: 'canceled' }, false],
  ['a canceled one with a trial left', { status: 'canceled', trialEnds: '2030-01-01' }, false],
  ['a past-due one within its paid period', { status: 'past_due', periodEnds: soon }, true],
  ['a past-due one whose period has just ended', { status: 'past_due', periodEnds: justNow }, false],
  ['a past-due one without a period', { status: 'past_due' }, false],
]
