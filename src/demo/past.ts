import { digestOf, newSecret, tokenOf } from '../auth/token.ts'
import type { Transaction } from '../database/session.ts'

/** For how many months the demo has closed its books; the service closes them after its start. */
const closedMonths = 13

/** A token that the demo only shows: nobody has its secret. Days and hours count back from seeding,
 * and `daysLeft` counts on. */
type PastToken = {
  name: string
  issuedBy: string
  scope?: string
  days: number
  /** How many requests the token has sent, how many hours are between two, and how long ago the last
   * one was. */
  requests: readonly [count: number, everyHours: number, lastHours: number]
  endpoints: readonly string[]
  daysLeft?: number
  revokedDays?: number
  addresses?: readonly string[]
}

const [imogen, tomas] = ['imogen@northlight.example', 'tomas@northlight.example']

const tokens: readonly PastToken[] = [
  {
    ...{ name: 'Website', issuedBy: imogen, days: 118, revokedDays: 19 },
    ...{ requests: [60, 11, 19 * 24 + 3], endpoints: ['/v1/items', '/v1/items/{id}', '/v1/locations'] },
  },
  {
    ...{ name: 'Bookkeeping', issuedBy: imogen, days: 71 },
    ...{ requests: [100, 8, 2], endpoints: ['/v1/items', '/v1/removals', '/v1/policies', '/v1/maintenance'] },
  },
  {
    ...{ name: 'Power BI', issuedBy: tomas, scope: 'priya@northlight.example', days: 40 },
    ...{ requests: [42, 23, 20], endpoints: ['/v1/items', '/v1/valuations', '/v1/account'] },
    addresses: ['203.0.113.0/24'],
  },
  {
    ...{ name: 'Loan desk', issuedBy: tomas, days: 24, daysLeft: 6 },
    ...{ requests: [75, 5, 1], endpoints: ['/v1/items', '/v1/items/{id}'] },
  },
]

/** Events of the audit log that are not about tokens. */
const events = [
  { days: 125, event: 'member.added', actor: imogen, member: 'tomas@northlight.example', detail: 'member' },
  { days: 124, event: 'import', actor: imogen, imported: ['locations', 'locations.csv', 8, 8, 0] },
  { days: 124, event: 'import', actor: imogen, imported: ['items', 'inventory-2026.xlsx', 241, 241, 0] },
  { days: 97, event: 'member.role_changed', actor: imogen, member: 'tomas@northlight.example', detail: 'admin' },
  { days: 62, event: 'import', actor: tomas, imported: ['policies', 'policies.csv', 6, 6, 0] },
  { days: 61, event: 'import', actor: tomas, imported: ['assignments', 'declared.csv', 148, 148, 0] },
  { days: 33, event: 'member.added', actor: tomas, member: 'callum@northlight.example', detail: 'member' },
  { days: 8, event: 'import', actor: tomas, imported: ['maintenance', 'service-visits.csv', 23, 19, 4] },
  { days: 3, event: 'import', actor: tomas, imported: ['items', 'new-microphones.csv', 21, 21, 0] },
] as const

/** Gives a new demo studio a past: tokens with weeks of requests, one revoked and one about to
 * expire, entries of the audit log, and months that the service will close. */
export async function addHistory(transaction: Transaction, studioId: string, now: Date): Promise<void> {
  const at = now.toISOString()
  await transaction.query(
    `update app.studios set closes_since = date_trunc('milliseconds', $2::timestamptz - make_interval(months => $3))
     where id = $1`,
    [studioId, at, closedMonths],
  )
  const given = tokens.map((token) => {
    const text = tokenOf('studio', newSecret())
    return { ...token, prefix: text.slice(0, 'svc_studio_'.length + 4), digest: digestOf(text).toString('hex') }
  })
  await transaction.query(addTokens, [studioId, at, JSON.stringify(given)])
  await transaction.query(addRequests, [studioId, at, JSON.stringify(tokens)])
  await transaction.query(addEntries, [studioId, at, JSON.stringify(events)])
}

/** The id of the member with an e-mail; null: none. */
const member = (email: string) =>
  `(select u.id from access.users u join access.members m on m.user_id = u.id and m.studio_id = $1 where u.email = ${email})`

/** The id of the member with this e-mail; without one, the id of the owner. */
const doer = (email: string) => `coalesce(${member(email)}, access.owner_of($1))`

const addTokens = `
insert into access.tokens (studio_id, name, tier, prefix, digest, issued_by, scope_user_id, created_at, last_used_at,
  revoked_at, revoked_by, expires_at, addresses)
select $1, g.name, 'studio', g.prefix, decode(g.digest, 'hex'), ${doer('g."issuedBy"')}, ${member('g.scope')},
  $2::timestamptz - make_interval(days => g.days), $2::timestamptz - make_interval(hours => g.requests[3]),
  $2::timestamptz - make_interval(days => g."revokedDays"),
  case when g."revokedDays" is not null then ${doer('g."issuedBy"')} end,
  access.end_of_day($1, $2::date + g."daysLeft"), g.addresses
from jsonb_to_recordset($3::jsonb) as g (name text, prefix text, digest text, "issuedBy" text, scope text, days int,
  requests int[], "revokedDays" int, "daysLeft" int, addresses cidr[])`

/** The requests of each token, oldest first. Every nineteenth found nothing. */
const addRequests = `
insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms)
select $1, t.id, $2::timestamptz - make_interval(hours => g.requests[3], secs => n * g.requests[2] * 3600 + n * 97 % 1800),
  'GET ' || g.endpoints[1 + n % cardinality(g.endpoints)], case when n % 19 = 18 then 404 else 200 end, 2 + n * 37 % 90 / 10.0
from jsonb_to_recordset($3::jsonb) as g (name text, requests int[], endpoints text[])
join access.tokens t on t.studio_id = $1 and t.name = g.name
cross join lateral generate_series(g.requests[1] - 1, 0, -1) as n
order by t.id, n desc`

const addEntries = `
insert into access.audit_log (studio_id, at, event, actor_user_id, token_id, token_name, token_prefix, scope_user_id,
  member_user_id, detail, import)
select $1, e.at, e.event, e.actor, e.token_id, e.name, e.prefix, e.scope, e.member, e.detail, e.import
from (
  select t.created_at as at, 'token.issued' as event, t.issued_by as actor, t.id as token_id, t.name, t.prefix,
    t.scope_user_id as scope, null::uuid as member, null as detail, null::jsonb as import
  from access.tokens t where t.studio_id = $1
  union all
  select t.revoked_at, 'token.revoked', t.revoked_by, t.id, t.name, t.prefix, t.scope_user_id, null, null, null
  from access.tokens t where t.studio_id = $1 and t.revoked_at is not null
  union all
  select $2::timestamptz - make_interval(days => g.days, mins => 20), g.event, ${doer('g.actor')}, null, null, null, null,
    ${member('g.member')}, g.detail,
    case when g.imported is not null then jsonb_build_object('kind', g.imported->0, 'file', g.imported->1,
      'sha256', encode(sha256(convert_to(g.imported->>1, 'UTF8')), 'hex'), 'rows', g.imported->2, 'added', g.imported->3,
      'changed', g.imported->4) end
  from jsonb_to_recordset($3::jsonb) as g (days int, event text, actor text, member text, detail text, imported jsonb)
) as e
order by e.at`
