import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exposedLogins } from '../../src/audit/proof.ts'
import { loginRoles } from '../../src/database/roles.ts'
import { asAdmin, useDatabase } from '../support/server.ts'
import { rulesOf } from './findings.ts'

const page = await readFile(join(import.meta.dirname, '../../docs/row-level-security.md'), 'utf8')

const database = useDatabase()

it('docs/row-level-security.md names every policy for everybody and its table, and no other', async () => {
  const { rows } = await asAdmin(database, (admin) =>
    admin.query<{ line: string }>(
      `select polrelid::regclass || ' ' || polname as line from pg_policy where polroles = '{0}'`,
    ),
  )
  const said = [...page.matchAll(/^\| `(app\.\w+)` \| ([^|]+?) \|/gm)].map(
    // The server keeps 63 bytes of a name.
    ([, table, policy]) => `${table} ${policy?.slice(0, 63)}`,
  )
  expect(rows.length).toBeGreaterThan(0)
  expect(said.toSorted()).toEqual(rows.map(({ line }) => line).toSorted())
})

it('shows the expressions that every policy for everybody has', async () => {
  const shown = /```sql\n(using \([\s\S]+?)```/.exec(page)?.[1] ?? ''
  const items = `"A studio's items are seen and written by that studio alone" on app.items`
  await asAdmin(database, async (admin) => {
    await admin.query(`begin; alter policy ${items} ${shown}`)
    const kinds =
      'select distinct pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid) from pg_policy where polroles = $1'
    expect((await admin.query(kinds, ['{0}'])).rows).toHaveLength(1)
  })
})

it('names every rule with the levels it has, and no other', async () => {
  const said = [...page.matchAll(/^\| `(\w+)` \| ((?:error|warning)(?:, warning)?) \|/gm)]
  expect(said.map(([, rule]) => rule).toSorted()).toEqual(await asAdmin(database, rulesOf))
  for (const [, rule, levels = ''] of said) {
    const text = await readFile(join(import.meta.dirname, `../../sql/audit/rules/${rule}.sql`), 'utf8')
    expect(text, rule).toMatch(/ as level,/)
    for (const level of ['error', 'warning']) expect(text.includes(`'${level}'`), rule).toBe(levels.includes(level))
  }
})

it('the proof knows every login of the service, and the two groups', () => {
  expect(exposedLogins.map((name) => `studio_${name}`).toSorted()).toEqual(
    [...loginRoles, 'studio_analyst', 'studio_auditor'].toSorted(),
  )
})
