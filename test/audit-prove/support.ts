import { afterAll, beforeAll } from 'vitest'
import { type ExposedLogin, type ProofConnections, proveLogins, type Trial } from '../../src/audit/proof.ts'
import { failures } from '../../src/audit/prove.ts'
import type { Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { asAdmin, type TestDatabase } from '../support/server.ts'

export type Stage = { database: TestDatabase; cast: Cast }

/** Gives the test file a database with two studios. To be called at the top. */
export function useStudios(): Stage {
  const stage = {} as Stage
  beforeAll(async () => {
    Object.assign(stage, await createCastDatabase())
  })
  afterAll(() => stage.database?.drop())
  return stage
}

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
