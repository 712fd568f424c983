import { type ExposedLogin, type ProofConnections, proveLogins, type Trial } from '../../src/audit/proof.ts'
import { failures } from '../../src/audit/prove.ts'
import { asAdmin, type TestDatabase } from '../support/server.ts'

/** The ways in that the command has with an administrator's connection string. */
export function proofConnections({ adminUrl, urlFor }: TestDatabase): ProofConnections {
  return { auditUrl: adminUrl, adminUrl, urlFor, analystUrl: undefined, asAuditor: false }
}

/** Proves, in this process, as some of the logins. */
export async function prove(ways: ProofConnections, as: readonly ExposedLogin[]): Promise<Trial[]> {
  const trials: Trial[] = []
  for await (const trial of proveLogins(ways, as)) trials.push(trial)
  return trials
}

/** The attempts that succeeded or are undecided, one a line. */
export async function failed(database: TestDatabase, ...as: readonly ExposedLogin[]): Promise<string> {
  const tried = (await prove(proofConnections(database), as)).flatMap((trial) => trial.tried)
  const lines = failures(tried).map((of) => `${of.login}: ${of.outcome}: ${of.statement} -- ${of.answer}`)
  return lines.join('\n')
}

/** Does something to the database as its administrator, and undoes it after the work. */
export async function offended(
  database: TestDatabase,
  offence: string,
  cure: string,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await asAdmin(database, (admin) => admin.query(offence))
    await work()
  } finally {
    await asAdmin(database, (admin) => admin.query(cure))
  }
}
