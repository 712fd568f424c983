import { asAuditor } from '../database/session.ts'

/** One row of audit.findings. */
export type Finding = {
  rule: string
  level: 'error' | 'warning'
  object: string
  finding: string
  why: string
  remedy: string
}

export type Audit = {
  database: string
  serverVersion: string
  /** The rules that were asked, by name. */
  rules: string[]
  findings: Finding[]
  /** Findings of rules that were said to be known. */
  accepted: Finding[]
}

/** A rule was to be accepted that does not exist: nothing would be, and nobody would notice. */
export class UnknownRule extends Error {
  override name = 'UnknownRule'
  readonly hint: string

  constructor(name: string, rules: string[]) {
    super(`the audit has no rule ${name}`)
    this.hint = `Rules: ${rules.join(', ')}`
  }
}

/**
 * Asks every rule of the audit.
 *
 * @param url the connection string of a member of studio_auditor, or of the administrator
 * @param accept rules whose findings do not count
 * @throws UnknownRule, or what the database throws
 */
export async function runAudit(url: string, accept: readonly string[] = []): Promise<Audit> {
  return asAuditor(url, async (transaction) => {
    const [about] = await transaction.query<{ database: string; version: string; rules: string[] }>(
      `select current_database()::text as database, current_setting('server_version') as version, ${ruleNames} as rules`,
    )
    if (about === undefined) throw new Error('the database says nothing of itself')
    const unknown = accept.find((name) => !about.rules.includes(name))
    if (unknown !== undefined) throw new UnknownRule(unknown, about.rules)
    const all = await transaction.query<Finding>(
      'select rule, level, object, finding, why, remedy from audit.findings order by level, rule, object, finding',
    )
    return {
      database: about.database,
      serverVersion: about.version,
      rules: about.rules,
      findings: all.filter(({ rule }) => !accept.includes(rule)),
      accepted: all.filter(({ rule }) => accept.includes(rule)),
    }
  })
}

/** The rules that are accepted: the embedded server is for trying the product, and as new as its packages are. */
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
