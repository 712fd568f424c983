import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { forbidden } from '../../src/audit/attempts.ts'
import { useCast } from '../support/cast-database.ts'
import { alone, gifts, others } from './statements.ts'
import { asLogin, attempt, inDiscarded, type Login, logins, readAll } from './support.ts'

const stage = useCast()
const studio = () => stage.cast.a.id

/** Each role may do something that others may not. */
const allowed: Partial<Record<Login, RegExp>> = {
  studio_writer: /^lock table app.items in (access share|row share) mode$/,
}

const targets = [
  ...['current_user', 'session_user', 'studio_owner', 'studio_analyst', 'studio_auditor', 'studio_backup'],
  ...logins.filter((login) => login !== 'analyst'),
]

describe.each(logins)('%s', (login) => {
  it('defines nothing, has no powers over the server, and decides about nobody’s access', async () => {
    const answers = await asLogin(stage, login, (client) =>
      inDiscarded(client, async () => {
        await client.query(`select set_config('studio.id', $1, true)`, [studio()])
        const tried: string[] = []
        for (const text of [...forbidden, ...others]) {
          if (allowed[login]?.test(text) || text.endsWith(` ${login}`)) continue
          const state = await attempt(client, text)
          if (state !== '42501') tried.push(`${state} ${text}`)
        }
        return tried
      }),
    )
    expect(answers).toEqual([])
  })

  it('is denied what runs in no transaction', async () => {
    await asLogin(stage, login, async (client) => {
      await client.query('set default_transaction_read_only = off')
      for (const text of alone) await expect(client.query(text), text).rejects.toMatchObject({ code: '42501' })
    })
  })

  it('passes nothing on', async () => {
    await asLogin(stage, login, (client) =>
      inDiscarded(client, async () => {
        const before = await grants(client)
        for (const text of gifts) {
          await client.query('savepoint before')
          await client.query(text).catch(() => client.query('rollback to savepoint before'))
        }
        expect(await grants(client)).toEqual(before)
      }),
    )
  })

  it('removes no policy, and no row from sight, by DROP OWNED BY anybody', async () => {
    await asLogin(stage, login, (client) =>
      inDiscarded(client, async () => {
        await client.query(`select set_config('studio.id', $1, true)`, [stage.cast.a.id])
        const before = await stateOf(client)
        for (const target of targets) {
          // If it did something, the test must see it.
          await client.query('savepoint before')
          const done = await client.query(`drop owned by ${target}`).catch(() => undefined)
          if (done) expect(await stateOf(client), target).toEqual(before)
          await client.query('rollback to savepoint before')
        }
      }),
    )
  })
})

/** Every access control list that is not the default. */
async function grants(client: pg.Client): Promise<unknown[]> {
  const { rows } = await client.query(
    `select oid::bigint, relacl::text as acl from pg_catalog.pg_class where relacl is not null
     union all
     select attrelid::bigint * 1000 + attnum, attacl::text from pg_catalog.pg_attribute where attacl is not null
     union all select oid::bigint, nspacl::text from pg_catalog.pg_namespace where nspacl is not null
     union all select oid::bigint, proacl::text from pg_catalog.pg_proc where proacl is not null
     order by 1, 2`,
  )
  return rows
}

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
