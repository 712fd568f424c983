import type pg from 'pg'

export type Finding = { rule: string; level: string; object: string; finding: string; why: string; remedy: string }

/** The views of audit that report findings; the others are what they are made from. */
export async function rulesOf(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = 'audit'::regnamespace and c.relkind = 'v' and a.attname = 'rule' order by 1`,
  )
  return rows.map((row) => row.name)
}

/** What an auditor finds. To be called in a transaction of the administrator. */
export async function findings(admin: pg.Client, rules: string[]): Promise<Finding[]> {
  await admin.query('set local role studio_auditor')
  const text = rules.map((rule) => `select * from audit.${rule}`).join(' union all ')
  const { rows } = await admin.query<Finding>(`${text} order by rule, object`)
  await admin.query('reset role')
  return rows
}
