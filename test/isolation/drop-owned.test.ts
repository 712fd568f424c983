import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { asLogin, attempt, inDiscarded, logins, readAll, useCast } from './support.ts'

const stage = useCast()

const targets = [
  ...['current_user', 'session_user', 'studio_owner', 'studio_analyst', 'studio_auditor'],
  ...logins.filter((login) => login !== 'analyst'),
]

describe.each(logins)('%s', (login) => {
  it('removes no policy, and no row from sight, by DROP OWNED BY anybody', async () => {
    await asLogin(stage, login, (client) =>
      inDiscarded(client, async () => {
        await client.query(`select set_config('studio.id', $1, true)`, [stage.cast.a.id])
        const before = await stateOf(client)
        for (const target of targets) {
          // What it did, if it did anything, has to stay in sight.
          await client.query('savepoint before')
          const done = await client.query(`drop owned by ${target}`).catch(() => undefined)
          if (done) expect(await stateOf(client), target).toEqual(before)
          await client.query('rollback to savepoint before')
        }
      }),
    )
  })

  it('cannot alter or drop a policy, or switch it off', async () => {
    const policy = `"A studio's items are seen and written by that studio alone" on app.items`
    await asLogin(stage, login, (client) =>
      inDiscarded(client, async () => {
        for (const text of [
          `drop policy ${policy}`,
          `alter policy ${policy} using (true)`,
          'create policy mine on app.items using (true)',
          'alter table app.items disable row level security',
          'alter table app.items no force row level security',
          'alter view api_v1.items reset (security_invoker)',
        ]) {
          expect(await attempt(client, text), text).toBe('42501')
        }
      }),
    )
  })
})

/** Every policy, and every row that this session sees. */
async function stateOf(client: pg.Client) {
  const policies = await client.query(
    `select polrelid::int, polname, polcmd, polpermissive, polroles::text, pg_get_expr(polqual, polrelid) as shown,
       pg_get_expr(polwithcheck, polrelid) as taken
     from pg_catalog.pg_policy order by 1, 2`,
  )
  expect(policies.rows.length).toBeGreaterThanOrEqual(10)
  return { policies: policies.rows, rows: await readAll(client) }
}
