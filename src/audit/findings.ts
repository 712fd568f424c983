import { inTransaction, type Transaction } from '../database/client.ts'
import { sqlState } from '../database/errors.ts'
import { compare, comparisons, type Finding, type FindingWithState } from './compare.ts'
import { type Facts, readInventory, readSettings } from './inventory.ts'
import { type Installed, install, type NotInstalled } from './scratch.ts'

export type { Finding }

export type Audit = {
  database: string
  serverVersion: string
  /** The names of the rules, and of what the comparison can find. */
  rules: string[]
  findings: Finding[]
  /** Findings of accepted rules and on accepted objects. */
  accepted: Finding[]
  /** The audit took these roles for administrators. */
  administrators: string[]
  /** The login may not see these parts, so the audit did not check them. */
  unseen: string[]
}

/** The findings and roles that the operator accepts. */
type Acceptance = {
  /** Rules, objects, and objects in a state (`object@state`) whose findings do not count. */
  accept?: readonly string[] | undefined
  /** Roles that count as administrators; undefined: every role with an administrator's rights. */
  administrators?: readonly string[] | undefined
}

/** An accepted name is neither a rule nor an object. Without this error, nobody would notice. */
class UnknownRule extends Error {
  override name = 'UnknownRule'
  readonly hint: string

  constructor(name: string, rules: readonly string[]) {
    super(`the audit has no rule ${name}`)
    this.hint = `Rules: ${rules.join(', ')}\nAn object is named with its kind, as the findings do: 'extension hstore@…'`
  }
}

/** Compares the database with this release, and asks every rule. `url` is an auditor's or the
 * administrator's. @throws UnknownRule, or what the database throws */
export async function runAudit(
  url: string,
  known: Acceptance = {},
  installing: () => Promise<Installed | NotInstalled> = () => install(url),
): Promise<Audit> {
  const settings = await asReader(url, readSettings)
  const installed = await installing()
  return asAuditor(url, (transaction) => auditIn(transaction, settings, installed, known))
}

/** Audits in an open transaction, with the result of `readSettings`. @throws as `runAudit` */
export async function auditIn(
  transaction: Transaction,
  settings: Facts,
  installed: Installed | NotInstalled,
  known: Acceptance = {},
): Promise<Audit> {
  await holdRules(transaction)
  const inventory = await readInventory(transaction, settings, known.administrators)
  const compared = (await compare(transaction, inventory, installed)).toSorted(byRule)
  const [about] = await transaction.query<{ database: string; version: string; rules: string[] }>(
    `select current_database()::text as database, current_setting('server_version') as version, ${ruleNames} as rules`,
  )
  if (about === undefined) throw new Error('the database says nothing of itself')
  const rules = [...about.rules, ...Object.keys(comparisons)]
  const isKnown = acceptance(rules, known.accept ?? [])
  const all = [...(await askRules(transaction, compared)), ...compared]
  const plain = ({ rule, level, object, finding, why, remedy }: Finding) =>
    ({ rule, level, object, finding, why, remedy }) satisfies Finding
  return {
    database: about.database,
    serverVersion: about.version,
    rules,
    findings: all.filter((finding) => !isKnown(finding)).map(plain),
    accepted: all.filter(isKnown).map(plain),
    administrators: inventory.administrators,
    unseen: inventory.unseen,
  }
}

function byRule(a: Finding, b: Finding): number {
  const [one, other] = [a, b].map(({ rule, object, finding }) => `${rule} ${object} ${finding}`)
  return (one ?? '') < (other ?? '') ? -1 : 1
}

/** Selects accepted findings by rule (one word), or by object, in any state or the one after
 * `@`.
 * @throws UnknownRule */
function acceptance(
  rules: readonly string[],
  accept: readonly string[],
): (finding: Finding & Partial<FindingWithState>) => boolean {
  // The database has no name, so its kind names it.
  const isObject = (name: string) => /^[a-z]\S* \S|^database(@\S+)?$/.test(name)
  const unknown = accept.find((name) => !rules.includes(name) && !isObject(name))
  if (unknown !== undefined) throw new UnknownRule(unknown, rules)
  const words = new Set(accept.filter((name) => rules.includes(name)))
  const objects = new Set(accept.filter((name) => !rules.includes(name)))
  return ({ rule, object, state, pinned }) =>
    words.has(rule) || (!pinned && objects.has(object)) || (state !== undefined && objects.has(`${object}@${state}`))
}

/** Accepts the embedded server's version, which depends on its package. */
export function acceptedIn(embedded: boolean, accept: readonly string[]): string[] {
  return embedded ? [...accept, 'server_below_safe_version'] : [...accept]
}

/** The views of audit with a column `rule`, except the view over all of them. */
const ruleNames = `array(
  select c.relname::text
  from pg_catalog.pg_class c
  join pg_catalog.pg_namespace n on n.oid = c.relnamespace and n.nspname = 'audit'
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attname = 'rule'
  where c.relkind = 'v' and c.relname <> 'findings'
  order by 1)`

/** The objects that the rules run. A changed one could use an administrator's rights. */
const runByRules = /^schema audit$|^[a-z -]+ audit\.| on audit\.|^function access\.misdirected_analysts\(\)$/

/** A view of the audit differs from this release's view. */
export class ViewsNotInstalled extends Error {
  override name = 'ViewsNotInstalled'
  readonly hint =
    'They run with the rights of the role that queries them. Run studio-inventory audit, and fix its findings.'

  constructor(objects: readonly string[]) {
    super(
      `the views of the audit were not queried, because these are not as this release installs them: ${objects.join(', ')}`,
    )
  }
}

/** Locks the audit's views and checks that they are this release's. @throws ViewsNotInstalled */
export async function requireViews(transaction: Transaction, installed: Installed | NotInstalled): Promise<void> {
  await holdRules(transaction)
  const objects = objectsUnsafeForRules(await compare(transaction, await readInventory(transaction, {}), installed))
  if (objects.length > 0) throw new ViewsNotInstalled(objects)
}

/** Locks the rules until the transaction ends, if they are readable. */
async function holdRules(transaction: Transaction): Promise<void> {
  await attempt(transaction, () => transaction.query('lock table audit.findings in access share mode'))
}

/** The names of the objects that make the rules unsafe to run. */
export function objectsUnsafeForRules(compared: readonly FindingWithState[]): string[] {
  return [
    ...new Set(
      compared
        .filter(({ rule, object }) => rule === 'system_name_overloaded' || runByRules.test(object))
        .map(({ object }) => object),
    ),
  ]
}

/** Runs the rules, unless their objects were changed. A failing rule is a finding. */
export async function askRules(transaction: Transaction, compared: readonly FindingWithState[]): Promise<Finding[]> {
  const others = objectsUnsafeForRules(compared)
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
    remedy: 'fix the other findings, or run the migrations of this release again on a copy, and audit again',
  }
}

/** These states mean that the statement itself failed. With others, the server or the connection is
 * lost. */
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

/** Runs `work` in a read-only transaction with the login's own rights. */
export function asReader<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return inTransaction(url, async (transaction) => {
    await transaction.query('set transaction read only')
    return work(transaction)
  })
}

/** Runs `work` in a read-only transaction as studio_auditor, which reads only the audit. An
 * administrator who is neither a superuser nor a member of that role reads the audit as its
 * owner. Any other login fails with 42501. */
export function asAuditor<Result>(url: string, work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
  return asReader(url, async (transaction) => {
    await transaction.query('savepoint own_role')
    try {
      await transaction.query('set local role studio_auditor')
    } catch (error) {
      if (sqlState(error) !== '42501') throw error
      await transaction.query('rollback to savepoint own_role')
      await transaction.query('set local role studio_owner')
    }
    return work(transaction)
  })
}
