import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cast } from '../support/cast.ts'
import { createCastDatabase } from '../support/cast-database.ts'
import { asAdmin, type TestDatabase, testSecretKey, withClient } from '../support/server.ts'
import { envFor, runCli } from './run.ts'

let database: TestDatabase
let cast: Cast
let auditorUrl: string
const auditor = 'studio_test_prover'

beforeAll(async () => {
  ;({ database, cast } = await createCastDatabase())
  await asAdmin(database, async (admin) => {
    await admin.query(`drop role if exists ${auditor}`)
    await admin.query(`create role ${auditor} login password 'looks only' in role studio_auditor`)
  })
  const url = new URL(database.adminUrl)
  Object.assign(url, { username: auditor, password: 'looks only' })
  auditorUrl = url.href
})

afterAll(async () => {
  await asAdmin(database, (admin) => admin.query(`drop role ${auditor}`))
  await database.drop()
})

const audit = (args: string[] = [], env: Record<string, string> = envFor(database)) => runCli(['audit', ...args], env)

async function offended(offence: string, cure: string, work: () => Promise<void>): Promise<void> {
  await asAdmin(database, (admin) => admin.query(offence))
  try {
    await work()
  } finally {
    await asAdmin(database, (admin) => admin.query(cure))
  }
}

// It asks some thousands of statements of each login.
describe('the proof of a sound database, as every exposed login', { timeout: 180_000 }, () => {
  let [before, after]: unknown[] = []
  let [status, stderr, lines, end]: [number | null, string, string[], string[]] = [null, '', [], []]
  beforeAll(async () => {
    before = await everything()
    const ended = await audit(['--prove', '--analyst', cast.b.analyst.url])
    after = await everything()
    ;({ status, stderr } = ended)
    lines = ended.stdout.trimEnd().split('\n')
    end = lines.splice(-2)
  }, 180_000)
  const told = (login: string) => lines.filter((line) => line.startsWith(`${login}  `)).join('\n')

  it('each attempt is denied or finds nothing foreign, nothing is left untried, and nothing has changed', () => {
    // What is not tested, and what is bounded, would be said there.
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(lines.length).toBeGreaterThan(1500)
    for (const line of lines) {
      expect(line).toMatch(
        /^\S.+ {2}(denied .* -- 42501 .+|impossible .* -- [0-9A-Z]{5} .+|nothing .* -- (0 rows|the same .+|no foreign .+|[0-9A-Z]{5}: .+))$/,
      )
    }
    const logins = new Set(lines.map((line) => line.split('  ')[0]))
    expect([...logins]).toEqual([
      ...['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'],
      ...['the analyst', 'a new analyst', 'an analyst of a studio', 'a new auditor'],
    ])
    const summary = new RegExp(`^${lines.length} attempts: .* 0 succeeded, 0 undecided\\.$`)
    expect(end).toEqual(['', expect.stringMatching(summary)])
    expect(lines.filter((line) => line.includes(`studio.id = '${cast.b.id}'`)).length).toBeGreaterThan(10)
    expect(after).toEqual(before)
  })

  it.each(['studio_api', 'studio_graphql', 'studio_writer'])('%s is looked at as it serves a studio', (login) => {
    const entered = lines.filter((line) =>
      new RegExp(`^${login} {2}nothing +set local studio.id = '${cast.a.id}'`).test(line),
    )
    const name = login === 'studio_writer' ? 'app.items' : 'api_v1.items'
    expect(entered.join('\n')).toMatch(new RegExp(`select .* from ${name} {2}-- no foreign value in \\d+ rows`))
    expect(told(login)).toMatch(/^\w+ {2}nothing +select access\.current_studio_id\(\) {2}-- no/m)
  })

  it('the analyst that is made and the one that is given are each asked by everything in reach', () => {
    for (const login of ['an analyst of a studio', 'the analyst']) {
      const items = 'select \\* from api_v1.items {2}-- no foreign value in 6 rows, all of them the studio’s'
      expect(told(login)).toMatch(new RegExp(` {2}nothing +${items}`))
      expect(told(login)).toMatch(new RegExp(` {2}nothing +set local studio.id = '.*'; ${items}`))
      expect(told(login)).toMatch(/select \* from pg_catalog\.pg_stats {2}-- no foreign value in \d+ rows?$/m)
      expect(told(login)).toMatch(/select \* from information_schema\.columns {2}-- no foreign value in \d+ rows$/m)
    }
  })

  it('nothing that is printed is a word, an amount or a day of another studio', () => {
    cast.expectNoCanary(lines.filter((line) => !line.startsWith('the analyst  ')).join('\n'))
  })
})

describe('the proof', { timeout: 180_000 }, () => {
  it.each([
    {
      login: 'graphql',
      title: 'a hidden column is granted',
      offence: 'grant usage on schema app to studio_graphql; grant select (notes) on app.policies to studio_graphql',
      cure: 'revoke usage on schema app from studio_graphql; revoke select (notes) on app.policies from studio_graphql',
      shows: /^studio_graphql {2}SUCCEEDED {3}select notes from app\.policies {2}-- \d+ rows?$/m,
    },
    {
      login: 'writer',
      title: 'the writer may write what the database keeps itself',
      offence: 'grant update (coverage_state) on app.items to studio_writer',
      cure: 'revoke update (coverage_state) on app.items from studio_writer',
      shows: /^studio_writer {2}SUCCEEDED {3}update app\.items set coverage_state = null where false {2}-- 0 rows$/m,
    },
    {
      login: 'api',
      title: 'a language is everybody’s',
      offence: 'grant usage on language plpgsql to public',
      cure: 'revoke usage on language plpgsql from public',
      shows: /^studio_api {2}SUCCEEDED {3}do 'begin null; end' {2}-- 0 rows$/m,
    },
  ])('fails when $title', async ({ login, offence, cure, shows }) => {
    await offended(offence, cure, async () => {
      const { status, stdout } = await audit(['--prove', '--as', login])
      expect(status).toBe(1)
      expect(stdout).toMatch(shows)
    })
  })

  it('fails when a policy lets everything through, also for a login without a studio', async () => {
    const [sound] = await asAdmin(database, async (admin) => {
      const { rows } = await admin.query<{ change: string }>(
        `select format('alter policy %I on app.items using ', polname) as change, pg_get_expr(polqual, polrelid) as using
         from pg_policy where polrelid = 'app.items'::regclass`,
      )
      return rows.map((row) => ({ using: '', ...row }))
    })
    await offended(`${sound?.change} (true)`, `${sound?.change} (${sound?.using})`, async () => {
      const { status, stdout } = await audit(['--prove', '--as', 'analyst'])
      expect(status).toBe(1)
      expect(stdout).toMatch(/^a new analyst {2}SUCCEEDED {3}select .* from api_v1\.items limit 1 {2}-- 1 row$/m)
    })
  })

  it('takes back what succeeds', async () => {
    const schema = 'schema public'
    await offended(
      `grant usage, create on ${schema} to studio_graphql`,
      `revoke all on ${schema} from studio_graphql`,
      async () => {
        const { status, stdout } = await audit(['--prove', '--as', 'graphql'])
        expect(status).toBe(1)
        expect(stdout).toMatch(/SUCCEEDED {3}create table public\.mine \(\)/)
        const { rows } = await asAdmin(database, (admin) => admin.query(`select to_regclass('public.mine') as made`))
        expect(rows).toEqual([{ made: null }])
      },
    )
  })

  it('of an analyst’s login that is given and sees another studio fails', async () => {
    // A function that believes anybody's setting: the analyst then sees whichever studio it names.
    const definition = await asAdmin(database, async (admin) => {
      const { rows } = await admin.query(`select pg_get_functiondef('access.current_studio_id'::regproc) as text`)
      return String(rows[0].text)
    })
    await offended(definition.replace('if session_user in (', 'if true or session_user in ('), definition, async () => {
      const { status, stdout } = await audit(['--prove', '--as', 'analyst', '--analyst', cast.a.analyst.url])
      expect(status).toBe(1)
      expect(stdout).toMatch(/^the analyst {2}SUCCEEDED .* from api_v1\.items {2}-- \d+ rows, others than without it$/m)
    })
  })

  it('that cannot be made is a failure; --as leaves it out', async () => {
    const alone = await audit(['--prove', '--url', auditorUrl], {})
    expect(alone.status).toBe(1)
    expect(alone.stderr).toContain('not tested: api: the password of studio_api is not known without SECRET_KEY\n')
    expect(alone.stderr).toContain('not tested: analyst: ')
    expect(alone.stdout).toMatch(/^the auditor {2}denied /m)
    expect(await audit(['--prove', '--url', auditorUrl, '--as', 'auditor'], {})).toMatchObject({
      status: 0,
      // What the auditor's login may not do is said, and is no failure of the proof.
      stderr: expect.stringMatching(
        /^note: the views of the audit were not compared: .+ may not create databases and roles .+\n$/,
      ),
    })

    const json = await audit(['--prove', '--url', auditorUrl, '--as', 'api', '--json'], { SECRET_KEY: testSecretKey })
    const proof = JSON.parse(json.stdout)
    expect(proof).toMatchObject({ failed: 0, untried: [] })
    expect(proof.notes).toEqual([
      expect.stringContaining('the views of the audit were not compared: studio_test_prover may not create databases'),
      'did not look for foreign rows: only an administrator knows which rows are foreign',
    ])
    expect(Object.keys(proof.attempts[0])).toEqual(['login', 'statement', 'outcome', 'answer'])
  })
})

/** Every row of every table, and every role and setting: what a proof must not touch. */
async function everything(): Promise<unknown> {
  return withClient(database.adminUrl, async (admin) => {
    const tables = await admin.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace::regnamespace::text
       in ('app', 'access', 'graphile_migrate') order by 1`,
    )
    const rows: Record<string, unknown> = {}
    for (const { name } of tables.rows) {
      // That a studio had an analyst for some seconds is kept, as of every other.
      const kept = name === 'access.analyst_log' ? `where t.login !~ '^studio_passing_'` : ''
      rows[name] = (await admin.query(`select t::text as row from ${name} t ${kept} order by 1`)).rows
    }
    const made = await admin.query(
      `select count(*) from pg_roles where rolname ~ '^studio_passing_' and rolvaliduntil < now()`,
    )
    const acls = await admin.query(`select md5(string_agg(relname || relacl::text, ',' order by oid)) from pg_class`)
    return { rows, made: made.rows, acls: acls.rows }
  })
}
