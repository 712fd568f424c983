import { type Audit, type Finding, runAudit } from '../../apps/audit/findings.ts'
import { matrixAsCsv, matrixAsMarkdown, readMatrix } from '../../apps/audit/matrix.ts'
import { type ExposedLogin, proveLogins, type Trial } from '../../apps/audit/proof.ts'
import { failures, type Tried } from '../../apps/audit/prove.ts'
import { ending, print, printJson, remark, warn } from '../output.ts'
import { type Column, layOut } from '../table.ts'
import type { Audited } from './database.ts'

/** What an audit found, or a proof attempted, and whether nothing counts. */
export type Outcome = { sound: boolean; answer: object }

/** Finds what the rules find, and prints it unless it is wanted as JSON. */
export async function printFindings(audited: Audited, accept: string[], json: boolean): Promise<Outcome> {
  const audit = await runAudit(audited.auditUrl, {
    accept: [...audited.accept, ...accept],
    administrators: audited.administrators,
  })
  if (!json) print(...report(audit))
  const { database, serverVersion, ...rest } = audit
  // `serverVersion` is what 1.0 printed; it goes with 2.0.
  const answer = { database, server_version: serverVersion, serverVersion, ...rest }
  return { sound: audit.findings.length === 0, answer }
}

function report({ database, serverVersion, rules, findings, accepted, administrators, unseen }: Audit): string[] {
  // Whoever corrects a finding needs all of it: the table is not shortened.
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

/** Why it matters is said once for findings of one kind. */
function advice({ rule, object, why, remedy }: Finding, index: number, all: Finding[]): string[] {
  const before = all[index - 1]
  return [
    ...(before?.rule === rule && before.why === why ? [] : [rule, `  why: ${why}`]),
    `  to fix ${object}: ${remedy}`,
    ...(all[index + 1]?.rule === rule ? [] : ['']),
  ]
}

export async function printMatrix(audited: Audited, format: 'markdown' | 'csv' | 'json'): Promise<void> {
  const matrix = await readMatrix(audited.auditUrl)
  if (format === 'json') return printJson(matrix)
  print(...(format === 'csv' ? matrixAsCsv(matrix) : matrixAsMarkdown(matrix)))
}

/** Prints each attempt with the server's answer, unless all are wanted as JSON. Sound: every login was tried and everything failed. */
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

function line({ login, statement, outcome, answer }: Tried): string {
  const mark = outcome === 'succeeded' ? 'SUCCEEDED' : outcome === 'undecided' ? 'UNDECIDED' : outcome
  return `${login}  ${mark.padEnd(10)}  ${statement.replace(/\s+/g, ' ')}  -- ${answer.replace(/\s+/g, ' ')}`
}

function summary(tried: Tried[], failed: Tried[], well: boolean): string[] {
  const of = (...outcomes: Tried['outcome'][]) => tried.filter(({ outcome }) => outcomes.includes(outcome)).length
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
