import { describeConnectionError, isRefusedLogin } from '../database/errors.ts'
import { withPassingLogin } from '../database/passing-login.ts'
import { type LoginRole, loginRoles } from '../database/roles.ts'
import { asAuditor, asOwner } from '../database/session.ts'
import { attemptsOf, type Ground, readGround } from './attempts.ts'
import { type Tried, tryAll, tryForgeries } from './prove.ts'

/** Everybody who can log in, as a person names them. */
export const exposedLogins = ['api', 'recorder', 'writer', 'console', 'graphql', 'analyst', 'auditor'] as const

export type ExposedLogin = (typeof exposedLogins)[number]

/** Ways in. What is missing cannot be tried, and is said so. */
export type Ways = {
  /** By which the list of what is allowed is read. */
  auditUrl: string
  /** An administrator's, to make passing logins and to know the ids of studios. */
  adminUrl: string | undefined
  /** That of one of the service's own logins. */
  urlFor: ((role: LoginRole) => string) | undefined
  /** That of an analyst's login with a studio. */
  analystUrl: string | undefined
  /** Whether `auditUrl` is that of an auditor. */
  asAuditor: boolean
}

/** What was tried as one login, or why nothing was. */
export type Trial = { as: ExposedLogin; tried: Tried[]; reason?: string }

/**
 * Logs in as each of the exposed logins, one after the other, and tries what must fail.
 *
 * @throws what reading the audit throws
 */
export async function* proveLogins(ways: Ways, wanted: readonly ExposedLogin[]): AsyncGenerator<Trial> {
  const ground = await asAuditor(ways.auditUrl, readGround)
  const studios = ways.adminUrl === undefined ? [] : await someStudios(ways.adminUrl)
  for (const as of wanted) {
    try {
      const tried = await tryAs(as, ways, ground, studios)
      yield typeof tried === 'string' ? { as, tried: [], reason: tried } : { as, tried }
    } catch (error) {
      const role = loginRoles.find((name) => name === `studio_${as}`)
      if (!isRefusedLogin(error) || role === undefined || ways.urlFor === undefined) throw error
      yield { as, tried: [], reason: describeConnectionError(ways.urlFor(role), error) }
    }
  }
}

/** What was tried, or the reason why nothing could be. */
async function tryAs(as: ExposedLogin, ways: Ways, ground: Ground, studios: string[]): Promise<Tried[] | string> {
  if (as === 'analyst') return tryAnalyst(ways, ground, studios)
  if (as === 'auditor') {
    const attempts = attemptsOf('studio_auditor', ground, studios, false)
    if (ways.asAuditor) return tryAll(ways.auditUrl, 'the auditor', attempts)
    if (ways.adminUrl === undefined) return 'no auditor’s login was given'
    return withPassingLogin(ways.adminUrl, 'studio_auditor', (url) => tryAll(url, 'a new auditor', attempts))
  }
  const role: LoginRole = `studio_${as}`
  if (ways.urlFor === undefined) return `the password of ${role} is not known without SECRET_KEY`
  // The recorder's studio is not its own to name; the other logins of the service are believed.
  return tryAll(ways.urlFor(role), role, attemptsOf(role, ground, as === 'recorder' ? studios : [], false))
}

/** An analyst with a studio keeps seeing it, whatever it calls itself; one without sees nothing. */
async function tryAnalyst(ways: Ways, ground: Ground, studios: string[]): Promise<Tried[] | string> {
  const tried: Tried[] = []
  if (ways.analystUrl !== undefined) {
    const views = ground.allowed.filter((a) => a.role === 'studio_analyst' && a.relation.startsWith('api_v1.'))
    const forged = studios.length > 0 ? studios : ['', '00000000-0000-4000-8000-000000000000']
    const names = [...new Set(views.map(({ relation }) => relation))]
    tried.push(...(await tryForgeries(ways.analystUrl, 'the analyst', names, forged)))
    tried.push(...(await tryAll(ways.analystUrl, 'the analyst', attemptsOf('studio_analyst', ground, studios, true))))
  }
  if (ways.adminUrl !== undefined) {
    const attempts = attemptsOf('studio_analyst', ground, studios, false)
    tried.push(
      ...(await withPassingLogin(ways.adminUrl, 'studio_analyst', (url) => tryAll(url, 'a new analyst', attempts))),
    )
  }
  return tried.length > 0 ? tried : 'no analyst’s login was given (--analyst)'
}

async function someStudios(adminUrl: string): Promise<string[]> {
  const rows = await asOwner(adminUrl, (transaction) =>
    transaction.query<{ id: string }>('select id from app.studios order by created_at desc, id limit 2'),
  )
  return rows.map(({ id }) => id)
}
