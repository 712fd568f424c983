import { acceptedIn } from '../../apps/audit/findings.ts'
import type { Ways } from '../../apps/audit/proof.ts'
import { postgresUrl } from '../../config/values.ts'
import { describeConnectionError, isUnavailable, sqlState } from '../../database/errors.ts'
import { roleUrl, userOf } from '../../database/roles.ts'
import { asAuditor } from '../../database/session.ts'
import { CommandError } from '../failure.ts'
import { type Context, withDatabase } from '../session.ts'

/** The database to be audited, what of its findings is known there, and who may be taken for an administrator. */
export type Audited = Ways & { accept: string[]; administrators: string[] | undefined }

/**
 * Opens the database that is to be audited: the one that --url or AUDITOR_DATABASE_URL names, with no other login than
 * that and those derived from SECRET_KEY; else the one in use, as its administrator.
 *
 * @throws CommandError when it cannot be reached
 */
export async function withAudited(
  context: Context,
  options: { url?: string; analyst?: string },
  work: (audited: Audited) => Promise<void>,
): Promise<void> {
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
    return work({
      auditUrl: alone,
      adminUrl: undefined,
      urlFor: secretKey === undefined ? undefined : (role) => roleUrl(alone, role, secretKey),
      analystUrl,
      asAuditor: true,
      accept,
      administrators,
    })
  }
  await withDatabase(context, ({ database }) =>
    work({
      auditUrl: auditorUrl ?? database.adminUrl,
      adminUrl: database.adminUrl,
      urlFor: database.urlFor,
      analystUrl,
      asAuditor: auditorUrl !== undefined,
      accept: acceptedIn(database.embedded, accept),
      administrators,
    }),
  )
}

function checked(name: string, url: string): string {
  const parsed = postgresUrl().safeParse(url)
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
