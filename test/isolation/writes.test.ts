import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { alone, definitions, functions, gifts, powers, writes } from './statements.ts'
import { asLogin, attempt, inDiscarded, type Login, logins, useCast } from './support.ts'

const stage = useCast()
const studio = () => stage.cast.a.id

/** What a role may do, and others may not: the writer writes its studio's rows, but deletes no item and no policy. */
const allowed: Partial<Record<Login, RegExp>> = {
  studio_writer: new RegExp(
    [
      '^(insert into|copy) app.(items|policies)\\b',
      '^(insert into|copy|delete from|merge into) app.(locations|item_photos|market_values|maintenance_records)\\b',
      '^(insert into|copy|delete from|merge into) app.policy_assignments\\b',
      '^lock table app.items in (access share|row share) mode$',
      '^select [*] from app.items for share$',
    ].join('|'),
  ),
}

describe.each(logins)('%s', (login) => {
  it.each([
    ['writes no row', writes],
    ['defines, alters, drops and grants nothing', definitions],
    ['has no powers over the server', powers],
    ['decides about nobody’s access', functions],
  ])('%s', async (_title, statements) => {
    const answers = await asLogin(stage, login, (client) =>
      inDiscarded(client, async () => {
        await client.query(`select set_config('studio.id', $1, true)`, [studio()])
        const tried: string[] = []
        for (const text of statements) {
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
