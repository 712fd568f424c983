import { asAdministrator, asAuditor, type Transaction } from '../../database/session.ts'
import { compare, comparisons } from './compare.ts'
import type { Finding } from './finding.ts'
import { type Facts, readInventory, readSettings } from './inventory.ts'
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
  /** What the login that asked may not see. */
  unseen: string[]
}

/** What was to be accepted is neither a rule nor an object: nothing would be, and nobody would notice. */
export class UnknownRule extends Error {
  override name = 'UnknownRule'
  readonly hint: string

  constructor(name: string, rules: string[]) {
    super(`the audit has no rule ${name}`)
    this.hint = `Rules: ${rules.join(', ')}\nAn object is named with its kind, as the findings do: 'extension hstore'`
  }
}

/**
 * Asks every rule of the audit, and compares what exists with what this release installs.
 *
 * @param url the connection string of a member of studio_auditor, or of the administrator
 * @param accept rules, and objects, whose findings do not count
 * @throws UnknownRule, or what the database throws
 */
export async function runAudit(url: string, accept: readonly string[] = []): Promise<Audit> {
  const settings = await asAdministrator(url, readSettings)
  return asAuditor(url, (transaction) => auditIn(transaction, settings, accept))
}

/**
 * The audit in an open transaction of an auditor.
 *
 * @param settings those of the server, as far as they could be seen
 * @throws as `runAudit`
 */
export async function auditIn(transaction: Transaction, settings: Facts, accept: readonly string[]): Promise<Audit> {
  const [about] = await transaction.query<{ database: string; version: string; rules: string[] }>(
    `select current_database()::text as database, current_setting('server_version') as version, ${ruleNames} as rules`,
  )
  if (about === undefined) throw new Error('the database says nothing of itself')
  const rules = [...about.rules, ...Object.keys(comparisons)]
  // An object is its kind and its name; a rule is one word.
  const unknown = accept.find((name) => !rules.includes(name) && !/^[a-z]\S* \S/.test(name) && name !== 'database')
  if (unknown !== undefined) throw new UnknownRule(unknown, rules)
  const broken = await transaction.query<Finding>(
    'select rule, level, object, finding, why, remedy from audit.findings order by level, rule, object, finding',
  )
  const compared = await compareIn(transaction, settings)
  const all = [...broken, ...compared.findings]
  const known = ({ rule, object }: Finding) => accept.includes(rule) || accept.includes(object)
  return {
    database: about.database,
    serverVersion: about.version,
    rules,
    findings: all.filter((finding) => !known(finding)),
    accepted: all.filter(known),
    unseen: compared.unseen,
  }
}

/** What of the audit compares what exists with what this release installs, in an open transaction of an auditor. */
export async function compareIn(
  transaction: Transaction,
  settings: Facts,
): Promise<{ findings: Finding[]; unseen: string[] }> {
  const inventory = await readInventory(transaction, settings)
  const [reference, pristine] = await Promise.all([readReference(inventory.major), readPristine(inventory.major)])
  return {
    findings: compare(inventory, reference, pristine).toSorted(byRule),
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
