import { sqlState } from '../../database/errors.ts'
import type { Transaction } from '../../database/session.ts'
import { type Compared, comparisons } from './compare.ts'
import type { Finding } from './finding.ts'

/**
 * What the rules run, besides what comes with the server: views of audit, and one function of their owner. Whoever could
 * change these would run with the rights of whoever asks, an administrator perhaps.
 */
const runByRules = /^schema audit$|^[a-z -]+ audit\.| on audit\.|^function access\.misdirected_analysts\(\)$/

/** Keeps the rules as they are until the end of the transaction, as far as they can be read at all. */
export async function holdRules(transaction: Transaction): Promise<void> {
  await attempt(transaction, () => transaction.query('lock table audit.findings in access share mode'))
}

/**
 * What of the comparison keeps the rules from being asked.
 *
 * @returns the names of objects
 */
export function inTheWay(compared: readonly Compared[]): string[] {
  return [
    ...new Set(
      compared
        .filter(({ rule, object }) => rule === 'system_name_overloaded' || runByRules.test(object))
        .map(({ object }) => object),
    ),
  ]
}

/** Queries the rules, unless what they run is not what was installed; a rule that fails is a finding too. */
export async function askRules(transaction: Transaction, compared: readonly Compared[]): Promise<Finding[]> {
  const others = inTheWay(compared)
  if (others.length > 0) return [notAsked(`were not queried, because these are not as installed: ${others.join(', ')}`)]
  const answer = await attempt(transaction, () =>
    transaction.query<Finding>(
      'select rule, level, object, finding, why, remedy from audit.findings order by level, rule, object, finding',
    ),
  )
  return 'rows' in answer ? answer.rows : [notAsked(`could not be queried: ${answer.refusal}`)]
}

function notAsked(text: string): Finding {
  return {
    rule: 'rules_not_asked',
    level: 'error',
    object: 'schema audit',
    finding: `the rules ${text}`,
    why: comparisons.rules_not_asked,
    remedy: 'fix what else is found, or run the migrations of this release again on a copy, and audit again',
  }
}

/** States that come from the statement itself, and not from the server's or the connection's end. */
const ofStatement = /^(0A|20|21|22|23|2B|42|P0|XX)/

async function attempt<Row extends object>(
  transaction: Transaction,
  work: () => Promise<Row[]>,
): Promise<{ rows: Row[] } | { refusal: string }> {
  await transaction.query('savepoint attempt')
  try {
    return { rows: await work() }
  } catch (error) {
    if (!(error instanceof Error) || !ofStatement.test(sqlState(error) ?? '')) throw error
    await transaction.query('rollback to savepoint attempt')
    return { refusal: error.message }
  }
}
