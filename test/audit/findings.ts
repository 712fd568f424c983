import type pg from 'pg'

export type Finding = { rule: string; level: string; object: string; finding: string; why: string; remedy: string }

/** The rules: the views of audit with a column `rule`, without audit.findings. */
export async function rulesOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'audit'::regnamespace and c.relkind = 'v' and a.attname = 'rule' and c.relname <> 'findings'
     order by 1`,
  )
  return rows.map((row) => row.name)
}

/** What an auditor finds. To be called in a transaction of the administrator. */
export async function findings(admin: pg.Client, rules: string[]): Promise<Finding[]> {
  // PostgreSQL compiles the plan for longer than it runs it.
  await admin.query('set local jit = off')
  await admin.query('set local role studio_auditor')
  const text = rules.map((rule) => `select * from audit.${rule}`).join(' union all ')
  const { rows } = await admin.query<Finding>(`${text} order by rule, object`)
  await admin.query('reset role')
  return rows
}

/** All rules but the one about the server's own version. */
export function withoutServer(rules: string[]): string[] {
  return rules.filter((rule) => rule !== 'server_below_safe_version')
}

/** What an audit of a test server accepts: its version, and others' prepared transactions. */
export const asTested = ['server_below_safe_version', 'setting max_prepared_transactions']
