import { asAuditor, asReader, type Transaction } from '../../database/session.ts'
import { acceptance } from './acceptance.ts'
import { askRules, holdRules } from './asking.ts'
import { type Compared, compare, comparisons } from './compare.ts'
import type { Facts } from './facts.ts'
import type { Finding } from './finding.ts'
import { readInventory, readSettings } from './inventory.ts'
import { readPristine, readReference } from './reference.ts'

export type { Finding }

export type Audit = {
  database: string
  serverVersion: string
  /** The rules that were asked, by name, and what the comparison with this release can find. */
  rules: string[]
  findings: Finding[]
  /** Findings of rules and on objects that were said to be known. */
  accepted: Finding[]
  /** Who was taken for an administrator. */
  administrators: string[]
  /** What the login that asked may not see. */
  unseen: string[]
}

/** What the operator says of a database. */
export type Known = {
  /** Rules, objects, and objects in a state (`object@state`), whose findings do not count. */
  accept?: readonly string[] | undefined
  /** Roles that may be taken for administrators; undefined: whoever looks like one. */
  administrators?: readonly string[] | undefined
}

/**
 * Compares what exists with what this release installs, and asks every rule of the audit.
 *
 * @param url the connection string of a member of studio_auditor, or of the administrator
 * @throws UnknownRule, or what the database throws
 */
export async function runAudit(url: string, known: Known = {}): Promise<Audit> {
  const settings = await asReader(url, readSettings)
  return asAuditor(url, (transaction) => auditIn(transaction, settings, known))
}

/**
 * The audit in an open transaction of an auditor.
 *
 * @param settings those of the server, as far as they could be seen
 * @throws as `runAudit`
 */
export async function auditIn(transaction: Transaction, settings: Facts, known: Known = {}): Promise<Audit> {
  await holdRules(transaction)
  const compared = await compareIn(transaction, settings, known.administrators)
  const [about] = await transaction.query<{ database: string; version: string; rules: string[] }>(
    `select current_database()::text as database, current_setting('server_version') as version, ${ruleNames} as rules`,
  )
  if (about === undefined) throw new Error('the database says nothing of itself')
  const rules = [...about.rules, ...Object.keys(comparisons)]
  const isKnown = acceptance(rules, known.accept ?? [])
  const all = [...(await askRules(transaction, compared.findings)), ...compared.findings]
  const plain = ({ rule, level, object, finding, why, remedy }: Finding) =>
    ({ rule, level, object, finding, why, remedy }) satisfies Finding
  return {
    database: about.database,
    serverVersion: about.version,
    rules,
    findings: all.filter((finding) => !isKnown(finding)).map(plain),
    accepted: all.filter(isKnown).map(plain),
    administrators: compared.administrators,
    unseen: compared.unseen,
  }
}

/** What of the audit compares what exists with what this release installs, in an open transaction of an auditor. */
export async function compareIn(
  transaction: Transaction,
  settings: Facts,
  administrators?: readonly string[],
): Promise<{ findings: Compared[]; administrators: string[]; unseen: string[] }> {
  const inventory = await readInventory(transaction, settings, administrators)
  const [reference, pristine] = await Promise.all([readReference(inventory.major), readPristine(inventory.major)])
  return {
    findings: compare(inventory, reference, pristine).toSorted(byRule),
    administrators: inventory.administrators,
    unseen: [
      ...inventory.unseen,
      ...(pristine === undefined ? [`whether the objects of PostgreSQL ${inventory.major} itself were changed`] : []),
    ],
  }
}

function byRule(a: Finding, b: Finding): number {
  const [one, other] = [a, b].map(({ rule, object, finding }) => `${rule} ${object} ${finding}`)
  return (one ?? '') < (other ?? '') ? -1 : 1
}

/** What is accepted: the embedded server is for trying the product, and as new as its packages are. */
export function acceptedIn(embedded: boolean, accept: readonly string[]): string[] {
  return embedded ? [...accept, 'server_below_safe_version'] : [...accept]
}

/** The views of audit with a column `rule`, but for the one that is made from them. */
const ruleNames = `array(
  select c.relname::text
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'audit'
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'rule'
  where c.relkind = 'v' and c.relname <> 'findings'
  order by 1)`
