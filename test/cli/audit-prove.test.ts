import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { offended } from '../audit-prove/support.ts'
import { type Cast, loginUrl } from '../support/cast.ts'
import { useCast } from '../support/cast-database.ts'
import { asAdmin, type TestDatabase, testSecretKey, withClient } from '../support/server.ts'
import { envFor, runCli } from './run.ts'

const stage = useCast()
let database: TestDatabase
let cast: Cast
let auditorUrl: string
const auditor = 'studio_test_prover'

beforeAll(async () => {
  ;({ database, cast } = stage)
  await asAdmin(database, async (admin) => {
    await admin.query(`drop role if exists ${auditor}`)
    await admin.query(`create role ${auditor} login password 'looks only' in role studio_auditor`)
  })
  auditorUrl = loginUrl(database, auditor, 'looks only')
})
afterAll(() => asAdmin(database, (admin) => admin.query(`drop role ${auditor}`)))

const audit = (args: string[] = [], env: Record<string, string> = envFor(database)) => runCli(['audit', ...args], env)

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
    // A proof says here what it could not test, and what it has limited.
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

/** Runs the proof after an offence. It must fail, and undo what succeeded. */
async function expectHole(offence: string, cure: string, args: string[], ...shows: RegExp[]): Promise<void> {
  await offended(database, offence, cure, async () => {
    const { status, stdout } = await audit(['--prove', '--as', ...args])
    expect(status).toBe(1)
    for (const line of shows) expect(stdout).toMatch(line)
    const { rows } = await asAdmin(database, (admin) => admin.query(`select to_regclass('public.mine') as made`))
    expect(rows).toEqual([{ made: null }])
  })
}

describe('the proof', { timeout: 180_000 }, () => {
  it.each<[title: string, login: string, granted: string, to: string, ...shows: RegExp[]]>([
    [
      'a hidden column is granted, and a schema to make tables in',
      'graphql',
      'usage on schema app; select (notes) on app.policies; usage, create on schema public',
      'studio_graphql',
      /^studio_graphql {2}SUCCEEDED {3}select notes from app\.policies {2}-- \d+ rows?$/m,
      /SUCCEEDED {3}create table public\.mine \(\)/,
    ],
    [
      'the writer may write what the database keeps itself',
      'writer',
      'update (coverage_state) on app.items',
      'studio_writer',
      /^studio_writer {2}SUCCEEDED {3}update app\.items set coverage_state = null where false {2}-- 0 rows$/m,
    ],
    [
      'a language is everybody’s',
      'api',
      'usage on language plpgsql',
      'public',
      /^studio_api {2}SUCCEEDED {3}do 'begin null; end' {2}-- 0 rows$/m,
    ],
  ])('fails when %s', async (_title, login, granted, to, ...shows) => {
    const each = (verb: string, word: string) => granted.split('; ').map((right) => `${verb} ${right} ${word} ${to}`)
    await expectHole(each('grant', 'to').join('; '), each('revoke', 'from').join('; '), [login], ...shows)
  })

  it('of an analyst’s login that is given and sees another studio fails', async () => {
    // This function believes every setting, so the analyst sees each studio that it names.
    const text = `select pg_get_functiondef('access.current_studio_id'::regproc) as text`
    const definition = String((await asAdmin(database, (admin) => admin.query(text))).rows[0].text)
    const believing = definition.replace('if session_user in (', 'if true or session_user in (')
    const line = /^the analyst {2}SUCCEEDED .* from api_v1\.items {2}-- \d+ rows, others than without it$/m
    await expectHole(believing, definition, ['analyst', '--analyst', cast.a.analyst.url], line)
  })

  it('that cannot be made is a failure; --as leaves it out', async () => {
    const alone = await audit(['--prove', '--url', auditorUrl], {})
    expect(alone.status).toBe(1)
    expect(alone.stderr).toContain('not tested: api: the password of studio_api is not known without SECRET_KEY\n')
    expect(alone.stderr).toContain('not tested: analyst: ')
    expect(alone.stdout).toMatch(/^the auditor {2}denied /m)
    expect(await audit(['--prove', '--url', auditorUrl, '--as', 'auditor'], {})).toMatchObject({
      status: 0,
      // The proof says what the auditor's login may not do, and does not fail for it.
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
      // The log keeps that the studio had an analyst for some seconds, as it does for every other.
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
