import { isIPv4 } from 'node:net'
import { type Command, Option } from 'commander'
import { type Host, hostOf } from '../config/postgres-url.ts'
import { utc } from '../database/client.ts'
import { analystTokenCommand } from './analyst-token.ts'
import { command, jsonOption, onDatabase, wholeNumber } from './command.ts'
import { print, printDone, printJson, printList, readable, remark, warn } from './output.ts'
import type { Context, OpenStudio } from './session.ts'

export function analystCommand(context: Context): Command {
  return command('analyst')
    .description("Analysts: one studio's data, read only, in psql, any BI tool or GraphQL.")
    .addCommand(analystCreateCommand(context))
    .addCommand(analystListCommand(context))
    .addCommand(analystRotateCommand(context))
    .addCommand(analystDropCommand(context))
    .addCommand(analystTokenCommand(context))
}

type CreateOptions = {
  studio: string
  for?: string
  validDays: number
  connections: number
  timeout: number
  json: boolean
}

function analystCreateCommand(context: Context): Command {
  return command('create')
    .description(
      'Create a login that sees one studio in SQL, and print its connection string, which is shown only once.',
    )
    .requiredOption('--studio <name-or-id>', 'the studio that it sees')
    .option('--for <email>', 'the member who uses it; it ends with their membership')
    .addOption(validDaysOption())
    .addOption(
      new Option('--connections <number>', 'how many concurrent sessions it may have')
        .argParser(wholeNumber(1, 100))
        .default(4),
    )
    .addOption(
      new Option('--timeout <seconds>', 'how long a statement may run').argParser(wholeNumber(5, 3600)).default(60),
    )
    .addOption(jsonOption())
    .notes(`
The connection string is the only line on standard output. With ANALYST_DATABASE_URL it names that server, and asks for
TLS. Give each person or tool its own login: the record of what analysts ask is by login.

Examples:
  studio-inventory analyst create --studio "Northlight Studios"
  studio-inventory analyst create --studio "Northlight Studios" --for priya@northlight.example --valid-days 30
  psql "$(studio-inventory analyst create --studio "Northlight Studios")"`)
    .action(
      onDatabase(context, async ({ config, database }, options: CreateOptions) => {
        const { findStudio, findUser } = await import('./session.ts')
        const { asAdministrator } = await import('../database/session.ts')
        const { retryConflicts } = await import('../migration/conflicts.ts')
        const { admitsAnalysts, closingStatement, createLogin, otherDatabases } = await import('../analysts/logins.ts')
        const { adminUrl, embedded } = database
        const { notSet, ...issued } = await retryConflicts(() =>
          asAdministrator(adminUrl, async (transaction) => {
            const studioId = await findStudio(transaction, options.studio)
            const userId = options.for ? await findUser(transaction, options.for) : null
            const made = await createLogin(transaction, config.analystUrl ?? adminUrl, { studioId, userId, ...options })
            const others = await otherDatabases(transaction, made.login)
            if (others.length > 0) {
              // The embedded server is ours; on another server, only show the statement.
              if (embedded) await transaction.query(closingStatement(others))
              else remark(`It may also connect to ${others.join(', ')}. To close them: ${closingStatement(others)};`)
            }
            const isOpen = await admitsAnalysts(transaction)
            return { ...made, url: isOpen ? made.url : null }
          }),
        )
        if (notSet.length > 0) {
          remark(`Not set, because only a superuser can set it: ${notSet.join(', ')}; see docs/analysts.md.`)
        }
        printIssued(issued, options.json)
      }),
    )
}

type RotateOptions = { validDays: number; json: boolean }

function analystRotateCommand(context: Context): Command {
  return command('rotate')
    .description('Give a login a new password and expiry, end its open sessions, and print its connection string.')
    .argument('<login>', 'its name, as in the list')
    .addOption(validDaysOption())
    .addOption(jsonOption())
    .notes(`
The connection string is the only line on standard output.

Examples:
  studio-inventory analyst rotate analyst_3f9c2a17b04e
  studio-inventory analyst rotate analyst_3f9c2a17b04e --valid-days 30`)
    .action(
      onDatabase(context, async ({ config, database }, login: string, options: RotateOptions) => {
        const { explainUnknown } = await import('./session.ts')
        const { admitsAnalysts, rotateLogin } = await import('../analysts/logins.ts')
        const { asAdministrator } = await import('../database/session.ts')
        const rotated = await explainUnknown(database.adminUrl, login, () =>
          rotateLogin(database.adminUrl, login, options.validDays, config.analystUrl),
        )
        const { ended, openBecause, ...issued } = rotated
        remarkEnded({ ended, openBecause })
        const isOpen = await asAdministrator(database.adminUrl, admitsAnalysts)
        printIssued({ ...issued, url: isOpen ? issued.url : null }, options.json)
      }),
    )
}

function analystDropCommand(context: Context): Command {
  return command('drop')
    .description('Drop a login and end its open sessions, whose next statement sees nothing.')
    .argument('<login>', 'its name, as in the list')
    .addOption(jsonOption())
    .notes(`
Examples:
  studio-inventory analyst drop analyst_3f9c2a17b04e`)
    .action(
      onDatabase(context, async ({ database }, login: string, options: { json: boolean }) => {
        const { explainUnknown } = await import('./session.ts')
        const { dropLogin } = await import('../analysts/logins.ts')
        const { keptBecause, ...sessions } = await explainUnknown(database.adminUrl, login, () =>
          dropLogin(database.adminUrl, login),
        )
        const { ended, openBecause } = sessions
        if (options.json) {
          const dropped = keptBecause === null
          return printJson({ login, dropped, kept_because: keptBecause, ended, open_because: openBecause })
        }
        if (keptBecause === null) printDone(`Dropped: ${login}`)
        else {
          printDone(`Cut off: ${login}`)
          warn(`It sees nothing and cannot log in, but the role still exists: ${keptBecause}`)
        }
        remarkEnded(sessions)
      }),
    )
}

const defaultDays = 90

function validDaysOption(): Option {
  return new Option('--valid-days <days>', 'how long the password is valid')
    .argParser(wholeNumber(1, 3650))
    .default(defaultDays)
}

function remarkEnded({ ended, openBecause }: { ended: number; openBecause: string | null }): void {
  if (openBecause !== null) warn(`Could not end open sessions: ${openBecause}`)
  else if (ended > 0) remark(ended === 1 ? 'Ended one open session.' : `Ended ${ended} open sessions.`)
}

/** Prints a login's connection string, once; null where PostgreSQL admits no analysts. */
function printIssued(issued: { login: string; url: string | null; valid_until: string }, json: boolean): void {
  if (json) printJson(issued)
  if (issued.url === null) {
    warn(
      `PostgreSQL admits no analysts here, because only a superuser can close its functions: ${issued.login} has GraphQL alone (analyst token --login ${issued.login}). To admit them, read docs/operating.md, "Without a superuser", set ANALYSTS_ON_OPEN_SERVER=true, run migrate, and then analyst rotate ${issued.login}.`,
    )
  } else if (!json) {
    print(issued.url)
    remarkPlain(issued.url)
    remark(
      `Save it now: it is shown only once. Valid until ${readable(issued.valid_until)}. To end it: analyst drop ${issued.login}`,
    )
  }
}

/** Whether a host is this machine: a socket's path, or loopback. */
function isLocal({ host }: Host): boolean {
  return host.startsWith('/') || host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

/** Warns of a connection string for another machine without TLS and a verified certificate. */
function remarkPlain(url: string): void {
  if (isLocal(hostOf(url)) || new URL(url).searchParams.get('sslmode')?.startsWith('verify-')) return
  remark(
    'It does not verify the server: set ANALYST_DATABASE_URL to the address that analysts reach over TLS; see docs/analysts.md.',
  )
}

type ListOptions = { studio?: string; all: boolean; json: boolean }

type Listed = {
  login: string
  studio: string
  for: string | null
  state: string
  created_at: string
  created_by: string
  valid_until: string | null
  connections: number | null
  sessions: number
  timeout: number | null
}

function analystListCommand(context: Context): Command {
  return command('list')
    .description("List analysts' logins, newest first.")
    .option('--studio <name-or-id>', 'only those of this studio')
    .option('--all', 'include dropped ones, which the log of the server may still name', false)
    .addOption(jsonOption())
    .notes(`
State: active; expired (it cannot log in); unmapped (it sees nothing: its member has left, or a drop was not completed);
missing (somebody dropped the role but not the mapping); dropped.

Examples:
  studio-inventory analyst list
  studio-inventory analyst list --studio "Northlight Studios" --all --json`)
    .action(
      onDatabase(context, async ({ asOwner, inStudio }, { studio, all, json }: ListOptions) => {
        const listed = async ({ query, id = null }: Pick<OpenStudio, 'query'> & { id?: string | null }) =>
          query<Listed>(
            `select login::text, studio_name as studio, for_email as for, state, ${utc('created_at')} as created_at,
               created_by::text, ${utc('valid_until')} as valid_until, connections, sessions::integer,
               extract(epoch from statement_limit)::real as timeout
             from access.list_analysts($1)`,
            [id],
          )
        const logins = await (studio ? inStudio(studio, listed) : asOwner(listed))
        const known = logins.filter(({ state }) => all || state !== 'dropped')
        printList(json, known, 'There are no analysts.', columns, (login) => ({
          ...login,
          created_at: readable(login.created_at),
          valid_until: readable(login.valid_until),
          sessions: login.connections === null ? '-' : `${login.sessions} of ${login.connections}`,
          timeout: login.timeout === null ? '-' : `${login.timeout} s`,
        }))
      }),
    )
}

const columns = {
  login: { heading: 'LOGIN' },
  studio: { heading: 'STUDIO' },
  for: { heading: 'FOR' },
  state: { heading: 'STATE' },
  sessions: { heading: 'SESSIONS' },
  timeout: { heading: 'TIMEOUT', numeric: true },
  valid_until: { heading: 'VALID UNTIL' },
  created_at: { heading: 'CREATED' },
  created_by: { heading: 'BY' },
} as const
