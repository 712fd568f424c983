import { withClient } from '../database/client.ts'
import { describeConnectionError, isRefusedLogin } from '../database/errors.ts'
import { type LoginRole, loginRoles, userOf } from '../database/roles.ts'
import { asOwner } from '../database/session.ts'
import { attemptsOf, emptyFor, readTargets, refusedTo, type Targets } from './attempts.ts'
import { asAuditor } from './findings.ts'
import { type OtherStudios, readOtherStudios } from './foreign/other-studios.ts'
import type { Viewer } from './foreign/relations.ts'
import { tryRelations } from './foreign/relations.ts'
import { readStudios, type Studios } from './foreign/sources.ts'
import { type AttemptResult, tryAll, tryForgeries, uncompiled } from './prove.ts'
import { install } from './scratch.ts'
import { withTemporaryLogin } from './temporary-login.ts'

/** Everybody who can log in, by the names that people use. */
export const exposedLogins = ['api', 'recorder', 'writer', 'console', 'graphql', 'analyst', 'auditor'] as const

export type ExposedLogin = (typeof exposedLogins)[number]

/** The connections that the proof may use. It reports those that it lacks. */
export type ProofConnections = {
  /** Reads the list of what is allowed. */
  auditUrl: string
  /** An administrator's: makes temporary logins, and reads other studios' values. */
  adminUrl: string | undefined
  /** A login role's connection string. */
  urlFor: ((role: LoginRole) => string) | undefined
  /** An analyst's login with a studio, to try in addition to a temporary one. */
  analystUrl: string | undefined
  /** Whether `auditUrl` is an auditor's. */
  asAuditor: boolean
}

/** The attempts of one login, why some were impossible, and what was limited. */
export type Trial = { as: ExposedLogin; tried: AttemptResult[]; reason?: string; notes: string[] }

/** What the trials share. */
type Stage = {
  ways: ProofConnections
  targets: Targets
  studios: Studios | undefined
  known: Map<string, Promise<OtherStudios>>
}

/** The result of a step. */
type Step = { tried: AttemptResult[] } | { reason: string } | { notes: string[] }

/** Tries as each login what must fail, and looks for other studios' rows.  */
export async function* proveLogins(ways: ProofConnections, wanted: readonly ExposedLogin[]): AsyncGenerator<Trial> {
  const installed = await install(ways.adminUrl ?? ways.auditUrl)
  const targets = await asAuditor(ways.auditUrl, (transaction) => readTargets(transaction, installed))
  const studios = ways.adminUrl === undefined ? undefined : await readStudios(ways.adminUrl)
  const stage: Stage = { ways, targets, studios, known: new Map() }
  for (const as of wanted) {
    const notes = 'reason' in installed ? [`the views of the audit were not compared: ${installed.reason}`] : []
    const trial: Trial = { as, tried: [], notes }
    try {
      for await (const step of tryAs(as, stage)) {
        if ('tried' in step) trial.tried.push(...step.tried)
        else if ('notes' in step) trial.notes.push(...step.notes)
        else trial.reason = step.reason
      }
    } catch (error) {
      const role = loginRoles.find((name) => name === `studio_${as}`)
      if (!isRefusedLogin(error) || role === undefined || ways.urlFor === undefined) throw error
      trial.reason = describeConnectionError(ways.urlFor(role), error)
    }
    yield trial
  }
}

function tryAs(as: ExposedLogin, stage: Stage): AsyncGenerator<Step> {
  if (as === 'analyst') return tryAnalyst(stage)
  return as === 'auditor' ? tryAuditor(stage) : tryService(`studio_${as}`, stage)
}

/** Logins that name their studio themselves, and see its rows. */
const serving: readonly LoginRole[] = ['studio_api', 'studio_graphql', 'studio_writer']

async function* tryService(role: LoginRole, stage: Stage): AsyncGenerator<Step> {
  const { ways, targets } = stage
  if (ways.urlFor === undefined) return yield { reason: `the password of ${role} is not known without SECRET_KEY` }
  const url = ways.urlFor(role)
  const believed = role !== 'studio_recorder'
  yield { tried: await tryAll(url, role, attemptsOf(role, targets, believed ? [] : someIds(stage))) }
  const otherStudios = yield* otherStudiosOf(stage)
  if (otherStudios === undefined) return
  const serves = serving.includes(role)
  const enter = serves ? [`set local studio.id = '${otherStudios.studio}'`] : []
  yield { tried: await lookAs(url, { login: role, otherStudios, enter, bound: !believed, seesStudio: serves }) }
}

async function* tryAuditor(stage: Stage): AsyncGenerator<Step> {
  const { ways, targets } = stage
  const attempts = attemptsOf('studio_auditor', targets, someIds(stage))
  const otherStudios = ways.adminUrl === undefined ? undefined : yield* otherStudiosOf(stage)
  const asOne = async (url: string, login: string) => [
    ...(await tryAll(url, login, attempts)),
    ...(otherStudios ? await lookAs(url, { login, otherStudios, enter: [], bound: true, seesStudio: false }) : []),
  ]
  if (ways.asAuditor) yield { tried: await asOne(ways.auditUrl, 'the auditor') }
  else if (ways.adminUrl === undefined) yield { reason: 'no auditor’s login was given' }
  else yield { tried: await withTemporaryLogin(ways.adminUrl, 'studio_auditor', (url) => asOne(url, 'a new auditor')) }
}

/** An analyst with a studio sees only it, under any id that it sets. One without sees nothing. */
async function* tryAnalyst(stage: Stage): AsyncGenerator<Step> {
  const { ways, targets, studios } = stage
  const { adminUrl, analystUrl } = ways
  if (adminUrl !== undefined && !(await admitsAnalysts(adminUrl))) {
    yield { notes: ['analysts may not connect to this database, so there was nothing to attempt'] }
    return
  }
  const views = targets.allowed.filter((a) => a.role === 'studio_analyst' && a.relation.startsWith('api_v1.'))
  const names = [...new Set(views.map(({ relation }) => relation))]
  const ids = someIds(stage)
  const forged = ids.length > 0 ? ids : ['', '00000000-0000-4000-8000-000000000000']
  const withStudio = async (url: string, login: string, otherStudios: OtherStudios | undefined) => [
    ...(await tryForgeries(url, login, names, forged)),
    ...(await tryAll(url, login, refusedTo('studio_analyst', targets))),
    ...(otherStudios ? await lookAs(url, { login, otherStudios, enter: [], bound: true, seesStudio: true }) : []),
  ]
  if (analystUrl !== undefined) {
    const studio = adminUrl === undefined ? undefined : await studioOf(adminUrl, analystUrl)
    const otherStudios = studio === null ? undefined : yield* otherStudiosOf(stage, studio)
    yield { tried: await withStudio(analystUrl, 'the analyst', otherStudios) }
    if (studio === null) yield { reason: 'the login that was given has no studio' }
  }
  if (adminUrl === undefined) {
    if (analystUrl === undefined) yield { reason: 'no analyst’s login was given (--analyst)' }
    return
  }
  const otherStudios = yield* otherStudiosOf(stage)
  const studio = otherStudios?.studio ?? studios?.withItems[0]
  const nothing = (studio === undefined ? attemptsOf : emptyFor)('studio_analyst', targets, ids)
  yield {
    tried: await withTemporaryLogin(adminUrl, 'studio_analyst', (url) => tryAll(url, 'a new analyst', nothing)),
  }
  if (studio === undefined) return
  yield {
    tried: await withTemporaryLogin(
      adminUrl,
      'studio_analyst',
      (url) => withStudio(url, 'an analyst of a studio', otherStudios),
      studio,
    ),
  }
}

/** The values of studios that must stay hidden, or why they are unknown. */
async function* otherStudiosOf(
  { ways, studios, known }: Stage,
  studio?: string,
): AsyncGenerator<Step, OtherStudios | undefined> {
  if (ways.adminUrl === undefined || studios === undefined) {
    yield { notes: ['did not look for foreign rows: only an administrator knows which rows are foreign'] }
    return undefined
  }
  const mine = studio ?? studios.withItems[0]
  if (mine === undefined || !studios.withItems.some((other) => other !== mine)) {
    yield { reason: 'did not look for foreign rows: fewer than two studios have items' }
    return undefined
  }
  const knowing = known.get(mine) ?? readOtherStudios(ways.adminUrl, mine, studios)
  known.set(mine, knowing)
  const otherStudios = await knowing
  yield { notes: otherStudios.notes }
  return otherStudios
}

/** Ids of real studios to claim. */
function someIds({ studios }: Stage): string[] {
  return studios?.all.slice(-2) ?? []
}

/** The studio that a login is mapped to, or null. */
async function studioOf(adminUrl: string, analystUrl: string): Promise<string | null> {
  const login = userOf(analystUrl) ?? null
  return asOwner(adminUrl, async (transaction) => {
    const text = 'select studio_id as id from access.analyst_logins where login = $1'
    return (await transaction.query<{ id: string }>(text, [login]))[0]?.id ?? null
  })
}

/** Whether analysts may connect (audit.set_server_rights). */
async function admitsAnalysts(adminUrl: string): Promise<boolean> {
  const text = `select pg_catalog.has_database_privilege('studio_analyst', pg_catalog.current_database(), 'CONNECT') as admits`
  return asOwner(
    adminUrl,
    async (transaction) => (await transaction.query<{ admits: boolean }>(text))[0]?.admits === true,
  )
}

/** Looks for other studios' rows in relations. @throws as connecting */
function lookAs(url: string, viewer: Viewer): Promise<AttemptResult[]> {
  return withClient(url, async (client) => {
    await client.query(`${uncompiled}; set lock_timeout = '1s'; set statement_timeout = '2min'`)
    return tryRelations(client, viewer)
  })
}
