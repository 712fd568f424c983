import { type Command, Option } from 'commander'
import type { TokenSubject } from '../graphql/analyst-token.ts'
import { command, jsonOption, wholeNumber } from './command.ts'
import { CommandError } from './failure.ts'
import { print, printJson, remark, warn } from './output.ts'
import type { Context, Session } from './session.ts'

type TokenOptions = {
  studio?: string
  for?: string
  minutes?: number
  login?: string
  days?: number
  json: boolean
}

export function analystTokenCommand(context: Context): Command {
  return command('token')
    .description(
      "Print a token for GraphQL: a member's, valid for minutes, or an analyst login's, valid for days, for scheduled queries.",
    )
    .option('--studio <name-or-id>', 'the studio whose data it reads')
    .option('--for <email>', "the member who uses it (default: the studio's owner)")
    .addOption(
      new Option('--minutes <number>', "how long a member's token is valid, at most 15 (default: 15)").argParser(
        wholeNumber(1, 15),
      ),
    )
    .option('--login <name>', 'the login it belongs to, as in the list: the token ends with the login')
    .addOption(
      new Option(
        '--days <number>',
        "how long a login's token is valid, at most 90 (default: as long as the login)",
      ).argParser(wholeNumber(1, 90)),
    )
    .addOption(jsonOption())
    .notes(`
The token is the only line on standard output. A member's stops working when the user is no longer a member; a login's when
the login is dropped or rotated, or its validity ends.

Examples:
  studio-inventory analyst token --studio "Northlight Studios"
  studio-inventory analyst token --studio "Northlight Studios" --for priya@northlight.example --minutes 5
  studio-inventory analyst token --login analyst_3f9c2a17b04e --days 30`)
    .action(async (options: TokenOptions) => {
      checkOptions(options)
      const { withDatabase } = await import('./session.ts')
      const { signAnalystToken } = await import('../graphql/analyst-token.ts')
      const issue = async (session: Session) => {
        const { named, lifeSeconds, issuedAt } =
          options.login === undefined
            ? await memberSubject(session, options)
            : await loginSubject(session, options.login, options.days)
        const token = await signAnalystToken(session.database.secretKey, named, { lifeSeconds, now: () => issuedAt })
        if (options.json) return printJson({ token, life_seconds: lifeSeconds })
        print(token)
        if (options.login !== undefined) {
          const end = new Date(issuedAt + lifeSeconds * 1000).toISOString()
          remark(`Valid until ${end.slice(0, 16).replace('T', ' ')} UTC. To end it: analyst drop ${options.login}`)
        }
      }
      await withDatabase(context, issue)
    })
}

/** @throws CommandError for options that do not go together */
function checkOptions({ studio, login, for: member, minutes, days }: TokenOptions): void {
  if ((studio === undefined) === (login === undefined)) {
    throw new CommandError('Give either --studio, for minutes, or --login, for days.')
  }
  if (login !== undefined && (member !== undefined || minutes !== undefined)) {
    throw new CommandError('--login goes with --days; --for and --minutes belong to --studio.')
  }
  if (login === undefined && days !== undefined) {
    throw new CommandError('--days needs --login: a token without a login is valid for 15 minutes at most.')
  }
}

/** Whom a token names, how long it lives, and when it begins. Times are milliseconds by the
 * database's clock. */
type Wanted = { named: TokenSubject; lifeSeconds: number; issuedAt: number }

/** The database's time to the millisecond, as precise as the log of rotations. */
const issuedAt = `(extract(epoch from clock_timestamp()::timestamptz(3)) * 1000)::float8 as "issuedAt"`

const daySeconds = 24 * 60 * 60

/** Names a member of a studio, by default its owner. @throws CommandError when unknown */
async function memberSubject({ inStudio }: Session, options: TokenOptions): Promise<Wanted> {
  const { longestLife } = await import('../graphql/analyst-token.ts')
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
async function loginSubject({ database, asOwner }: Session, login: string, days?: number): Promise<Wanted> {
  const { explainUnknown } = await import('./session.ts')
  const { longestLoginDays } = await import('../graphql/analyst-token.ts')
  return explainUnknown(database.adminUrl, login, () =>
    asOwner(async (transaction) => {
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
