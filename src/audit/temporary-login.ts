import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { urlFor } from '../database/roles.ts'
import { asAdministrator, asOwner } from '../database/session.ts'
import { scramVerifier } from '../migration/passwords.ts'

/** Do not change it: access.analyst_log records logins for good, by name. */
const prefix = 'studio_passing_'

/** Matches temporary names only: another role may have any name. */
const made = `^${prefix}[0-9a-f]{12}$`

/** How long a login is valid, and how long its statements may run. */
const minutes = 10

/** Lends a login of a group to `work`, and drops it afterwards, even on failure and signals. It
 * expires after ten minutes. `studioId` maps it to a studio, which is recorded.
 * @throws also on SIGINT, SIGTERM and SIGHUP */
export async function withTemporaryLogin<Result>(
  adminUrl: string,
  group: 'studio_analyst' | 'studio_auditor',
  work: (url: string, login: string) => Promise<Result>,
  studioId?: string,
): Promise<Result> {
  const login = prefix + randomBytes(6).toString('hex')
  const password = randomBytes(18).toString('base64url')
  const over = new AbortController()
  // A second signal ends the process at once, as usual.
  const ended = ['SIGINT', 'SIGTERM', 'SIGHUP'].map(async (signal) => {
    await once(process, signal, { signal: over.signal })
    throw new Error(`ended by ${signal}; the login that was made for it is dropped`)
  })
  const interrupted = Promise.race(ended)
  for (const each of [...ended, interrupted]) each.catch(() => undefined)
  try {
    await dropAbandoned(adminUrl)
    await make(adminUrl, login, password, group, studioId)
    return await Promise.race([work(urlFor(adminUrl, login, password), login), interrupted])
  } finally {
    await drop(adminUrl, [login])
    over.abort()
  }
}

async function make(adminUrl: string, login: string, password: string, group: string, studioId?: string) {
  const end = new Date(Date.now() + minutes * 60_000).toISOString()
  // One transaction, so that the login never lacks its limits.
  await asAdministrator(adminUrl, async (admin) => {
    await admin.query(
      `create role ${login} login password '${scramVerifier(password)}' connection limit 2 valid until '${end}'
         in role ${group}`,
    )
    await admin.query(`alter role ${login} set statement_timeout = '5min'`)
    const [self] = await admin.query<{ super: boolean }>(
      'select rolsuper as super from pg_catalog.pg_roles where rolname = current_user',
    )
    // Only a superuser may set it.
    if (self?.super) await admin.query(`alter role ${login} set temp_file_limit = '1GB'`)
    if (studioId === undefined) return
    await admin.query('set local role studio_owner')
    await admin.query(
      'insert into access.analyst_logins (login, studio_id, statement_limit) values ($1, $2, make_interval(mins => $3))',
      [login, studioId, minutes],
    )
  })
}

/** If a login cannot be dropped now, another process drops it, or the next run does. */
async function dropAbandoned(adminUrl: string): Promise<void> {
  const rows = await asAdministrator(adminUrl, async (admin) => {
    const over = await admin.query<{ name: string }>(
      'select rolname as name from pg_catalog.pg_roles where rolname ~ $1 and rolvaliduntil < now()',
      [made],
    )
    await admin.query('set local role studio_owner')
    const gone = await admin.query<{ name: string }>(
      `select l.login as name from access.analyst_logins l
       where l.login ~ $1 and not exists (select from pg_catalog.pg_roles r where r.rolname = l.login)`,
      [made],
    )
    return [...over, ...gone]
  })
  const names = rows.map(({ name }) => name)
  if (names.length > 0) await drop(adminUrl, names).catch(() => undefined)
}

/** Unmaps and drops logins, and ends their sessions. */
async function drop(adminUrl: string, logins: string[]): Promise<void> {
  const roles = await asAdministrator(adminUrl, async (admin) => {
    const found = await admin.query<{ oid: string; quoted: string }>(
      `select oid::text, format('%I', rolname) as quoted from pg_catalog.pg_roles where rolname = any ($1)`,
      [logins],
    )
    await admin.query('set local role studio_owner')
    await admin.query('delete from access.analyst_logins where login = any ($1)', [logins])
    await admin.query('reset role')
    for (const { quoted } of found) await admin.query(`drop role if exists ${quoted}`)
    return found
  })
  for (const { oid } of roles) {
    // Unmapped sessions see nothing, so failing to end one is harmless.
    await asOwner(adminUrl, async (owner) => {
      await owner.query('select access.end_sessions($1::oid)', [oid])
    }).catch(() => undefined)
  }
}
