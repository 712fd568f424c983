import { hostText } from '../config/postgres-url.ts'
import { messageOf } from '../domain/text.ts'
import { firstOf, type LoginUrl } from './roles.ts'

/** The database is down, overloaded, or refuses the login. Answered as 503. */
export class DatabaseUnavailable extends Error {
  override name = 'DatabaseUnavailable'
}

/** Too many requests wait for a connection. */
export class Overloaded extends DatabaseUnavailable {
  override name = 'Overloaded'
  override message = 'too many requests wait for a database connection'
}

/** A studio has as many statements running and waiting as it may. Answered as 429. */
export class ShareExceeded extends Error {
  override name = 'ShareExceeded'
}

/** A statement failed; answered as 500. Hides the driver's error, which could repeat values. */
export class StatementFailed extends Error {
  override name = 'StatementFailed'
  readonly statement: string
  readonly sqlState: string | undefined

  constructor(statement: string, sqlState: string | undefined, message: string) {
    super(`statement ${statement} failed: ${message}`)
    this.statement = statement
    this.sqlState = sqlState
  }
}

/** The SQLSTATE of an error that came from a server, else undefined. */
export function sqlState(error: unknown): string | undefined {
  const code = codeOf(error)
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !(error as NodeJS.ErrnoException).syscall
    ? code
    : undefined
}

/** Whether an error means that the database cannot be used by any statement. */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof DatabaseUnavailable) return true
  // FATAL ends the connection under any SQLSTATE: a closed server may send 42501 or 55000.
  if ('severity' in error && error.severity === 'FATAL') return true
  const state = sqlState(error)
  if (state !== undefined) return unavailableClasses.has(state.slice(0, 2)) || unavailableStates.has(state)
  return networkErrors.has(codeOf(error) ?? '') || driverMessages.some((start) => error.message.startsWith(start))
}

/** Whether the database did not answer in time: the network or its machine is down. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith(silence)
}

/** Whether the server refused the login: wrong password, unknown role, or no such database. */
export function isRefusedLogin(error: unknown): boolean {
  const state = sqlState(error)
  return state !== undefined && (state.startsWith('28') || state === '3D000')
}

/** Whether the server refused the password, or PgBouncer, which gives this no SQLSTATE of its own. */
export const isWrongPassword = (error: unknown): boolean =>
  sqlState(error) === '28P01' || (sqlState(error) === '08P01' && messageOf(error).includes('authentication failed'))

const loading =
  'session_preload_libraries or local_preload_libraries, of the server, the database or the role, names a library that is not there'

/** One line for an operator, without a password: which database failed, as which user, and why. */
export function describeConnectionError(databaseUrl: LoginUrl, error: unknown): string {
  const url = new URL(firstOf(databaseUrl))
  const host = url.host || hostText(url.href)
  const user = decodeURIComponent(url.username) || url.searchParams.get('user') || 'the default user'
  const reason = (error instanceof Error && error.message) || codeOf(error) || String(error)
  // undefined_file before there is a session
  const library = sqlState(error) === '58P01' ? ` (${loading})` : ''
  return `cannot use the PostgreSQL database ${url.pathname.slice(1)} at ${host} as ${user}: ${reason}${library}`
}

/** 08 connection exception, 28 invalid authorization, 53 insufficient resources. */
const unavailableClasses = new Set(['08', '28', '53'])

const unavailableStates = new Set([
  '3D000', // the database does not exist (any more)
  '55P03', // lock_timeout
  '57014', // statement_timeout, or cancelled by an administrator
  '57P01', // shutting down
  '57P02', // crashed
  '57P03', // starting up
  '57P04', // database dropped
  '57P05', // idle session timeout
])

const networkErrors = new Set([
  'EADDRNOTAVAIL',
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'EMFILE',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOENT', // the Unix socket does not exist
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
])

const silence = 'Query read timeout'

/** node-postgres gives these errors no code. */
const driverMessages = [
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Connection terminated',
  silence,
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end',
]

function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
  return typeof code === 'string' ? code : undefined
}
