import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { useCast } from '../support/cast-database.ts'
import { asAdmin } from '../support/server.ts'
import { added } from './added.ts'
import { failed, offended } from './support.ts'

const stage = useCast()

// One proof may take half a minute where others use the machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

describe('without any rule, the proof finds', () => {
  let found = ''
  beforeAll(async () => {
    await asAdmin(stage.database, async (admin) => {
      await admin.query('create schema planted; grant usage on schema planted to studio_analyst')
      for (const [offence] of added) await admin.query(offence)
    })
    found = await failed(stage.database, 'analyst')
  })
  afterAll(() =>
    asAdmin(stage.database, (admin) =>
      admin.query(`drop schema planted cascade; drop materialized view api_v1.planted;
        comment on table app.items is null;
        revoke select on pg_catalog.pg_authid from studio_analyst;
        revoke select (stavalues1) on pg_catalog.pg_statistic from studio_analyst`),
    ),
  )

  it.each(added)('%s', (_offence, shows) => {
    expect(found).toMatch(shows)
  })

  it('all of them, and repeats no value of another studio', () => {
    stage.cast.expectNoCanary(found)
  })
})

/** Runs work while app.items has another policy, which is made from the sound one. */
async function withPolicy(other: (sound: string) => string, work: () => Promise<void>): Promise<void> {
  const [policy] = await asAdmin(stage.database, async (admin) => {
    const { rows } = await admin.query<{ name: string; using: string }>(
      `select quote_ident(polname) as name, pg_get_expr(polqual, polrelid) as using
       from pg_policy where polrelid = 'app.items'::regclass and polroles = '{0}'`,
    )
    return rows
  })
  const change = (using: string) => `alter policy ${policy?.name} on app.items using (${using})`
  await offended(stage.database, change(other(policy?.using ?? '')), change(policy?.using ?? ''), work)
}

it('finds a policy that lets everything through, as every login that sees a studio', async () => {
  const open = () => 'studio_id is not null'
  await withPolicy(open, async () => {
    const found = await failed(stage.database, 'analyst', 'api', 'graphql', 'writer')
    for (const [login, relation] of [
      ['an analyst of a studio', 'api_v1.items'],
      ['studio_api', 'service.item_documents'],
      ['studio_graphql', 'api_v1.items'],
      ['studio_writer', 'app.items'],
    ]) {
      const line = `^${login}: succeeded: .*select .* from ${relation} -- .* of other studios`
      expect(found).toMatch(new RegExp(line, 'm'))
    }
  })
})

it('finds by their number rows that have nothing to be recognised by', async () => {
  const view = `create view api_v1.planted_numbers with (security_invoker = true) as
      select extract(year from acquisition_date) as year from app.items;
    grant select on api_v1.planted_numbers to studio_analyst, studio_owner`
  const work = async () =>
    expect(await failed(stage.database, 'analyst')).toMatch(
      /an analyst of a studio: succeeded: select \* from api_v1\.planted_numbers -- 14 rows, where the studio has 7$/m,
    )
  await withPolicy(
    (sound) => `session_user ~ '^studio_passing_' or ${sound}`,
    () => offended(stage.database, view, 'drop view if exists api_v1.planted_numbers', work),
  )
})

it.each([
  [
    "relations added to PostgreSQL's own, as every login",
    `create table information_schema.planted as select id from app.items;
      grant select on information_schema.planted to studio_auditor`,
    'drop table information_schema.planted',
    'auditor',
    /^a new auditor: succeeded: select \* from information_schema\.planted -- \d+ rows with values of other studios/m,
  ],
  [
    'a view that reads with the rights of a superuser',
    'alter view api_v1.items reset (security_invoker); alter view api_v1.items owner to current_user',
    'alter view api_v1.items owner to studio_owner; alter view api_v1.items set (security_invoker = true)',
    'analyst',
    /an analyst of a studio: succeeded: select \* from api_v1\.items -- \d+ rows with values of other studios/,
  ],
] as const)('finds %s', async (_what, offence, cure, login, shows) => {
  await offended(stage.database, offence, cure, async () => expect(await failed(stage.database, login)).toMatch(shows))
})

it.each([
  ['studio.id', `an analyst of a studio: succeeded: set local studio\\.id = '[^']+'; `],
  ['planted.studio', `set local planted\\.studio = '[^']+'.*`],
])(
  'finds that a session may call itself another studio’s, by a setting with a value before or without: %s',
  async (name, said) => {
    await believing(`current_setting('${name}', true)`, async () => {
      const shows = `${said}select \\* from api_v1\\.items -- \\d+ rows? with values of other`
      expect(await failed(stage.database, 'analyst')).toMatch(new RegExp(shows))
    })
  },
)

/** Lets a session name its own studio. */
async function believing(said: string, work: () => Promise<void>): Promise<void> {
  const definition = await asAdmin(stage.database, async (admin) => {
    const { rows } = await admin.query(`select pg_get_functiondef('access.current_studio_id'::regproc) as text`)
    return String(rows[0].text)
  })
  const believer = definition.replace(
    /return \(\s*select l\.studio_id/,
    `if ${said} <> '' then return ${said}::uuid; end if; return (select l.studio_id`,
  )
  expect(believer).not.toBe(definition)
  await offended(stage.database, believer, definition, work)
}
