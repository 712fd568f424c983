import { asOwner } from '../database/session.ts'
import { longestLife, longestLoginDays, type TokenSubject } from '../graphql/analyst-token.ts'
import { CommandError } from './failure.ts'
import { warn } from './output.ts'
import { explainUnknown, type Session } from './session.ts'

/** Whom a token names, how long it lives, and when it begins. Times are milliseconds by the
 * database's clock. */
type Wanted = { named: TokenSubject; lifeSeconds: number; issuedAt: number }

/** The database's time to the millisecond, as precise as the log of rotations. */
const issuedAt = `(extract(epoch from clock_timestamp()::timestamptz(3)) * 1000)::float8 as "issuedAt"`

const daySeconds = 24 * 60 * 60

/** Names a member of a studio, by default its owner. @throws CommandError when unknown */
export async function memberSubject(
  { inStudio }: Pick<Session, 'inStudio'>,
  options: { studio?: string; for?: string; minutes?: number },
): Promise<Wanted> {
  const { named, issuedAt: issued } = await inStudio(options.studio ?? '', async ({ query, id: studioId, doer }) => {
    const userId = await doer(options.for)
    const [session] = await query<{ status: number; issuedAt: number }>(
      `select status, ${issuedAt} from access.open_analyst_session($1, $2, null)`,
      [studioId, userId],
    )
    if (session?.status === 401) throw new CommandError(`${options.for} is not a member of the studio`)
    if (session?.status === 403) warnOfPlan()
    return { named: { studioId, userId }, issuedAt: session?.issuedAt ?? Date.now() }
  })
  return { named, issuedAt: issued, lifeSeconds: options.minutes === undefined ? longestLife : options.minutes * 60 }
}

/** Names an analyst's login with its studio. Without days, the token lasts until the login ends.
 * @throws CommandError for an unknown or ended login, or one that may have no such token */
export async function loginSubject(adminUrl: string, login: string, days: number | undefined): Promise<Wanted> {
  return explainUnknown(adminUrl, login, () =>
    asOwner(adminUrl, async (transaction) => {
      type Row = { studio_id: string | null; seconds: number | null; status: number | null; issuedAt: number }
      // The lock makes this token wait for a concurrent rotation, or the rotation for it.
      await transaction.query('select from access.analyst_logins where login = access.known_analyst($1) for share', [
        login,
      ])
      const [row] = await transaction.query<Row>(
        `select l.studio_id, extract(epoch from r.rolvaliduntil - now())::float8 as seconds, s.status,
           ${issuedAt}
         from (select access.known_analyst($1) as login) as k
         left join access.analyst_logins l on l.login = k.login
         left join pg_roles r on r.rolname = k.login
         left join lateral access.open_login_session(l.studio_id, k.login::text, clock_timestamp()) s on true`,
        [login],
      )
      if (!row?.studio_id || row.status === 401) {
        throw new CommandError(`The login ${login} has ended.`, 'analyst rotate renews one that has expired.')
      }
      if (row.status === 403) warnOfPlan()
      const longest = Math.min(longestLoginDays * daySeconds, Math.floor(row.seconds ?? Number.POSITIVE_INFINITY))
      if (days !== undefined && days * daySeconds > longest) {
        throw new CommandError(
          `The login ${login} itself is valid for less than ${days} days.`,
          'Rotate it, or give fewer --days.',
        )
      }
      return {
        named: { studioId: row.studio_id, login },
        issuedAt: row.issuedAt,
        lifeSeconds: days === undefined ? longest : days * daySeconds,
      }
    }),
  )
}

function warnOfPlan(): void {
  warn("The studio's plan does not include API access: GraphQL will refuse the token.")
}
