import { type Audit, acceptedIn, asAuditor, type Finding, runAudit } from '../audit/findings.ts'
import { matrixAsMarkdown, readMatrix } from '../audit/matrix.ts'
import { type ExposedLogin, type ProofConnections, proveLogins, type Trial } from '../audit/proof.ts'
import { type AttemptResult, failures } from '../audit/prove.ts'
import { install } from '../audit/scratch.ts'
import { postgresUrl } from '../config/values.ts'
import { describeConnectionError, isUnavailable, sqlState } from '../database/errors.ts'
import { firstOf, roleUrl, userOf } from '../database/roles.ts'
import { CommandError } from './failure.ts'
import { type Column, ending, layOut, print, printJson, remark, warn } from './output.ts'
import { type Context, withDatabase } from './session.ts'

/** The database to audit, its accepted findings, and its administrators. */
type Audited = ProofConnections & { accept: string[]; administrators: string[] | undefined }

/** Opens the database to audit. With --url or AUDITOR_DATABASE_URL, uses only that login and
 * those derived from SECRET_KEY; otherwise the database in use, as its administrator.
 * @throws CommandError when it cannot be reached */
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
      urlFor: (role) => firstOf(database.urlFor(role)),
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
    // A login that may not connect gets the same state as one that is not an auditor.
    if (isUnavailable(error)) {
      throw new CommandError(describeConnectionError(url, error), 'Use the login of a member of studio_auditor.')
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

/** What an audit or a proof found. `sound` is true when no finding counts. */
type Outcome = { sound: boolean; answer: object }

/** Runs the audit, and prints its findings unless the answer is JSON. */
export async function printFindings(audited: Audited, accept: string[], json: boolean): Promise<Outcome> {
  const known = { accept: [...audited.accept, ...accept], administrators: audited.administrators }
  const audit = await runAudit(audited.auditUrl, known, () => install(audited.adminUrl ?? audited.auditUrl))
  if (!json) print(...report(audit))
  const { database, serverVersion, ...rest } = audit
  // 1.0 printed `serverVersion` in camelCase. 2.0 drops it.
  const answer = { database, server_version: serverVersion, serverVersion, ...rest }
  return { sound: audit.findings.length === 0, answer }
}

function report({ database, serverVersion, rules, findings, accepted, administrators, unseen }: Audit): string[] {
  const headings: Record<string, Column> = {
    level: { heading: 'LEVEL' },
    rule: { heading: 'RULE' },
    object: { heading: 'OBJECT' },
    finding: { heading: 'WHAT IS WRONG' },
  }
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  const where = `${rules.length} rules on database ${database}, PostgreSQL ${serverVersion}`
  return [
    ...(findings.length > 0 ? [...layOut(findings, headings, width), '', ...findings.flatMap(advice)] : []),
    ...accepted.map(({ rule, object, finding }) => `accepted: ${rule}: ${object} ${finding}`),
    `assumed to be administrators: ${administrators.join(', ') || 'nobody'}`,
    ...unseen.map((what) => `not seen by this login: ${what}`),
    ending(
      `${where}: ${findings.length === 0 ? 'nothing found' : count(findings.length, 'finding')}.`,
      findings.length === 0,
    ),
  ]
}

/** Neighbouring findings of one kind share the line with their reason. */
function advice({ rule, object, why, remedy }: Finding, index: number, all: Finding[]): string[] {
  const before = all[index - 1]
  return [
    ...(before?.rule === rule && before.why === why ? [] : [rule, `  why: ${why}`]),
    `  to fix ${object}: ${remedy}`,
    ...(all[index + 1]?.rule === rule ? [] : ['']),
  ]
}

/** Prints who may read and write which column. */
export async function printMatrix(audited: Audited, json: boolean): Promise<void> {
  const matrix = await readMatrix(audited.auditUrl, () => install(audited.adminUrl ?? audited.auditUrl))
  if (matrix.unseen !== undefined) remark(`note: the views of the audit were not compared: ${matrix.unseen}`)
  if (json) printJson(matrix)
  else print(...matrixAsMarkdown(matrix))
}

/** Prints each attempt and its answer, unless the answer is JSON. It is sound if every login was
 * tried and every attempt failed. */
export async function printProof(audited: Audited, as: readonly ExposedLogin[], json: boolean): Promise<Outcome> {
  const trials: Trial[] = []
  for await (const trial of proveLogins(audited, as)) {
    trials.push(trial)
    if (!json) print(...trial.tried.map(line))
  }
  const tried = trials.flatMap((trial) => trial.tried)
  const failed = failures(tried)
  const untried = trials.flatMap(({ as, reason }) => (reason === undefined ? [] : { as, reason }))
  const notes = [...new Set(trials.flatMap((trial) => trial.notes))]
  if (!json) {
    print('', ...summary(tried, failed, failed.length + untried.length === 0))
    for (const { as, reason } of untried) warn(`not tested: ${as}: ${reason}`)
    for (const note of notes) remark(`note: ${note}`)
  }
  return {
    sound: failed.length === 0 && untried.length === 0,
    answer: { attempts: tried, failed: failed.length, untried, notes },
  }
}

function line({ login, statement, outcome, answer }: AttemptResult): string {
  const mark = outcome === 'succeeded' ? 'SUCCEEDED' : outcome === 'undecided' ? 'UNDECIDED' : outcome
  return `${login}  ${mark.padEnd(10)}  ${statement.replace(/\s+/g, ' ')}  -- ${answer.replace(/\s+/g, ' ')}`
}

function summary(tried: AttemptResult[], failed: AttemptResult[], well: boolean): string[] {
  const of = (...outcomes: AttemptResult['outcome'][]) =>
    tried.filter(({ outcome }) => outcomes.includes(outcome)).length
  return [
    ...failed.map(line),
    ending(
      `${count(tried.length, 'attempt')}: ${of('denied')} denied, ${of('impossible')} impossible for anybody, ` +
        `${of('nothing')} without anything to see, ${of('succeeded')} succeeded, ${of('undecided')} undecided.`,
      well,
    ),
  ]
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`
}
