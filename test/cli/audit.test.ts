import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cast, createCast } from '../support/cast.ts'
import { asAdmin, createTestDatabase, type TestDatabase, testSecretKey, withClient } from '../support/server.ts'
import { envFor, runCli } from './run.ts'

let database: TestDatabase
let cast: Cast
let auditorUrl: string
const auditor = 'studio_test_auditor'

beforeAll(async () => {
  database = await createTestDatabase()
  cast = await createCast(database)
  await asAdmin(database, async (admin) => {
    // Whatever server the tests run on, it is to be a safe one here.
    await admin.query(`create or replace view audit.safe_versions with (security_invoker = true) as
      select current_setting('server_version_num')::integer / 10000 as major, 0 as minor`)
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

describe('the rules', () => {
  it('find nothing in a sound database: exit status 0', async () => {
    const { status, stdout, stderr } = await audit()
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^24 rules on database \w+, PostgreSQL \d+\.\d+.*: nothing found\.\n$/)
  })

  it('need no more than a login of studio_auditor, given by option or by variable', async () => {
    const sound = { status: 0, stderr: '' }
    const bare = { SECRET_KEY: testSecretKey }
    expect(await audit(['--url', auditorUrl], {})).toMatchObject(sound)
    expect(await audit([], { AUDITOR_DATABASE_URL: auditorUrl })).toMatchObject(sound)
    expect(await audit(['--matrix'], { ...bare, AUDITOR_DATABASE_URL: auditorUrl })).toMatchObject(sound)
  })

  it('tell what is wrong, why it matters and how to mend it: exit status 1, until it is mended', async () => {
    await offended(
      'alter view api_v1.items reset (security_invoker); alter table app.items no force row level security',
      'alter view api_v1.items set (security_invoker = true); alter table app.items force row level security',
      async () => {
        const { status, stdout } = await audit(['--url', auditorUrl], {})
        expect(status).toBe(1)
        const lines = stdout.split('\n')
        expect(lines[0]).toMatch(/^LEVEL +RULE +OBJECT +WHAT IS WRONG$/)
        expect(lines[1]).toMatch(
          /^error +table_without_row_level_security +app\.items +row-level security is not forced/,
        )
        expect(lines[2]).toMatch(/^error +view_not_invoker +api_v1\.items +reads with the rights of its owner/)
        expect(stdout).toContain('\nview_not_invoker\n  why: The owner')
        expect(stdout).toContain('  to mend api_v1.items: alter view api_v1.items set (security_invoker = true);\n')
        expect(stdout).toMatch(/: 2 findings\.\n$/)

        const json = JSON.parse((await audit(['--json'])).stdout)
        expect(json.rules).toHaveLength(24)
        expect(json.findings.map((finding: object) => Object.keys(finding))).toEqual(
          [1, 2].map(() => ['rule', 'level', 'object', 'finding', 'why', 'remedy']),
        )
      },
    )
    expect(await audit()).toMatchObject({ status: 0 })
  })

  it('that are accepted are still told, and do not count; one that does not exist is refused', async () => {
    await offended(
      'alter view api_v1.items reset (security_invoker)',
      'alter view api_v1.items set (security_invoker = true)',
      async () => {
        const known = await audit(['--accept', 'view_not_invoker'])
        expect(known.status).toBe(0)
        expect(known.stdout).toContain('accepted: view_not_invoker: api_v1.items reads with')
        expect(await audit([], envFor(database, { AUDIT_ACCEPT: 'usage_on_app, view_not_invoker' }))).toMatchObject({
          status: 0,
        })
        expect(await audit(['--accept', 'usage_on_app'])).toMatchObject({ status: 1 })
      },
    )
    const unknown = await audit(['--accept', 'view_not_invoked'])
    expect(unknown).toMatchObject({ status: 1, stdout: '' })
    expect(unknown.stderr).toMatch(/has no rule view_not_invoked\nRules: .*view_not_invoker/)
  })

  it.each([
    [
      'an analyst',
      () => cast.a.analyst.url,
      /no member of studio_auditor\n.*grant studio_auditor to studio_test_analyst_1/,
    ],
    [
      'nobody',
      () => auditorUrl.replace('looks', 'knows'),
      /cannot use the PostgreSQL database .* as studio_test_auditor/,
    ],
    ['no URL', () => 'db.example.com', /--url is not valid/],
  ])('are not read by %s', async (_who, url, says) => {
    const { status, stdout, stderr } = await audit(['--url', url()], {})
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(says)
    expect(stderr).not.toMatch(/looks|knows|^\s+at /m)
  })
})

it('the matrix as CSV has a line for each column and a column for each role', async () => {
  const { status, stdout } = await audit(['--matrix', '--format', 'csv'])
  expect(status).toBe(0)
  const [headings, ...lines] = stdout.trimEnd().split('\n')
  expect(headings).toBe(
    'relation,column,studio_analyst,studio_api,studio_auditor,studio_console,studio_graphql,studio_recorder,studio_writer',
  )
  expect(lines).toContain('api_v1.items,name,SELECT,SELECT,,,SELECT,,')
  expect(lines).toContain('app.policies,notes,,,,,,,INSERT SELECT UPDATE')
  expect(lines).toContain('access.tokens,digest,,,,,,,')
})

describe('the proof', () => {
  it('as every exposed login: each attempt is denied or finds nothing, and nothing has changed', async () => {
    const before = await everything()
    const { status, stdout, stderr } = await audit(['--prove', '--analyst', cast.a.analyst.url])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const lines = stdout.trimEnd().split('\n')
    const summary = lines.pop()
    expect(lines.pop()).toBe('')
    expect(lines.length).toBeGreaterThan(1500)
    for (const line of lines) {
      expect(line).toMatch(
        /^\S.+ {2}(denied .* -- 42501 .+|impossible .* -- [0-9A-Z]{5} .+|nothing .* -- (0 rows|the same .+))$/,
      )
    }
    const logins = new Set(lines.map((line) => line.split('  ')[0]))
    expect([...logins]).toEqual([
      ...['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'],
      ...['the analyst', 'a new analyst', 'a new auditor'],
    ])
    expect(summary).toMatch(new RegExp(`^${lines.length} attempts: .* 0 succeeded, 0 undecided\\.$`))
    expect(lines.filter((line) => line.includes(`studio.id = '${cast.b.id}'`)).length).toBeGreaterThan(10)
    cast.expectNoCanary(stdout)
    expect(await everything()).toEqual(before)
  })

  it.each([
    {
      login: 'analyst',
      title: 'a policy lets everything through',
      offence: `alter policy "A studio's items are seen and written by that studio alone" on app.items using (true)`,
      cure: `alter policy "A studio's items are seen and written by that studio alone" on app.items
        using (studio_id = (select access.current_studio_id()) and ((select session_user in ('studio_api', 'studio_writer'))
          or studio_id = any (array[(select access.current_studio_id())])))`,
      shows: /^a new analyst {2}SUCCEEDED {3}select .* from api_v1\.items limit 1 {2}-- 1 row$/m,
    },
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

  it('of an analyst who sees another studio fails', async () => {
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

  it('that cannot be made is a failure, and --as says what is to be left out', async () => {
    const alone = await audit(['--prove', '--url', auditorUrl], {})
    expect(alone.status).toBe(1)
    expect(alone.stderr).toContain('not tried: api: the password of studio_api is not known without SECRET_KEY\n')
    expect(alone.stderr).toContain('not tried: analyst: ')
    expect(alone.stdout).toMatch(/^the auditor {2}denied /m)
    expect(await audit(['--prove', '--url', auditorUrl, '--as', 'auditor'], {})).toMatchObject({
      status: 0,
      stderr: '',
    })

    const json = await audit(['--prove', '--url', auditorUrl, '--as', 'api', '--json'], { SECRET_KEY: testSecretKey })
    const proof = JSON.parse(json.stdout)
    expect(proof).toMatchObject({ failed: 0, untried: [] })
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
      rows[name] = (await admin.query(`select t::text as row from ${name} t order by 1`)).rows
    }
    const made = await admin.query(
      `select count(*) from pg_roles where rolname ~ '^studio_passing_' and rolvaliduntil < now()`,
    )
    const acls = await admin.query(`select md5(string_agg(relname || relacl::text, ',' order by oid)) from pg_class`)
    return { rows, made: made.rows, acls: acls.rows }
  })
}
