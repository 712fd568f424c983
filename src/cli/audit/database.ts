import { acceptedIn } from '../../apps/audit/findings.ts'
import type { Ways } from '../../apps/audit/proof.ts'
import { postgresUrl } from '../../config/values.ts'
import { describeConnectionError, isUnavailable, sqlState } from '../../database/errors.ts'
import { roleUrl, userOf } from '../../database/roles.ts'
import { asAuditor } from '../../database/session.ts'
import { inEachCell } from '../cells.ts'
import { CommandError } from '../failure.ts'
import { type Context, cellsOf } from '../session.ts'

/** The database to be audited, what of its findings is known there, and who may be taken for an administrator. */
export type Audited = Ways & { accept: string[]; administrators: string[] | undefined }

/**
 * Opens the database that is to be audited: the one that --url or AUDITOR_DATABASE_URL names, with no other login than
 * that and those derived from SECRET_KEY; else the one in use, as its administrator; of several cells one after the other.
 *
 * @throws CommandError when it cannot be reached
 */
export async function auditedDatabases<Result>(
  context: Context,
  options: { url?: string; analyst?: string; matrix: boolean },
  work: (audited: Audited, cell: string | undefined) => Promise<Result>,
): Promise<{ cell: string | undefined; result: Result }[]> {
  const config = context.config()
  const { url: auditorUrl, accept, administrators } = config.audit
  const analystUrl = options.analyst === undefined ? undefined : checked('--analyst', options.analyst)
  const alone =
    options.url === undefined
      ? config.databaseUrl === undefined
        ? auditorUrl
        : undefined
      : checked('--url', options.url)
  if (alone !== undefined) {
    await tryConnection(alone)
    const { secretKey } = config
    const result = await work(
      {
        auditUrl: alone,
        adminUrl: undefined,
        urlFor: secretKey === undefined ? undefined : (role) => roleUrl(alone, role, secretKey),
        analystUrl,
        asAuditor: true,
        accept,
        administrators,
      },
      undefined,
    )
    return [{ cell: undefined, result }]
  }
  if (options.matrix && cellsOf(config, context.cell?.()).length > 1) {
    throw new CommandError('--matrix shows one cell', 'Say which one with --cell; all cells have the same privileges.')
  }
  return inEachCell(context, ({ config, database, cell }) => {
    const auditorUrl = config.audit.url
    return work(
      {
        auditUrl: auditorUrl ?? database.adminUrl,
        adminUrl: database.adminUrl,
        urlFor: database.urlFor,
        analystUrl,
        asAuditor: auditorUrl !== undefined,
        accept: acceptedIn(database.embedded, accept),
        administrators,
      },
      cell,
    )
  })
}

function checked(name: string, url: string): string {
  const parsed = postgresUrl('primary').safeParse(url)
  if (parsed.success) return parsed.data
  throw new CommandError(`${name} is not valid; ${parsed.error.issues[0]?.message}`)
}

async function tryConnection(url: string): Promise<void> {
  try {
    await asAuditor(url, async () => undefined)
  } catch (error) {
    // A login that may not connect is refused with the same state as one that is not an auditor.
    if (isUnavailable(error)) {
      throw new CommandError(describeConnectionError(url, error), 'The login of a member of studio_auditor is needed.')
    }
    if (sqlState(error) === '42501') {
      throw new CommandError(
        'this login is not a member of studio_auditor',
        `As an administrator: grant studio_auditor to ${userOf(url) ?? 'the login'}`,
      )
    }
    throw error
  }
}
