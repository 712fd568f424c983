import { readFile } from 'node:fs/promises'
import { digestOf, newSecret, tokenOf } from '../auth/token.ts'
import type { Transaction } from '../database/session.ts'

/** For how many months the demo has closed its books; the service closes them after its start. */
const closedMonths = 13

/** What `northlight-studios/history.json` has. Days and hours count back from seeding, and `daysLeft`
 * counts on. The tokens are only shown: nobody has their secrets. Of their requests it has the number,
 * how many hours are between two, and how many hours ago the last one was. */
type History = { tokens: { name: string }[]; events: object[] }

/** Gives a new demo studio a past: tokens with weeks of requests, one revoked and one about to
 * expire, entries of the audit log, and months that the service will close. */
export async function addHistory(transaction: Transaction, studioId: string, now: Date): Promise<void> {
  const at = now.toISOString()
  const file = new URL('northlight-studios/history.json', import.meta.url)
  const { tokens, events }: History = JSON.parse(await readFile(file, 'utf8'))
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
