import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LoginRole, roleUrl } from '../../src/database/roles.ts'
import { asTested } from '../audit/findings.ts'
import type { TestCluster } from '../support/cluster.ts'
import { useFolder } from '../support/folder.ts'
import { databaseUrl, withClient } from '../support/server.ts'
import { bash, installCommand, startServer, surroundings } from './installation.ts'

// The life of an installation whose administrator has CREATEROLE and CREATEDB, and no more, as on a
// managed PostgreSQL.
const secretKey = 'the secret key of a managed server, long enough'
const open = { ANALYSTS_ON_OPEN_SERVER: 'true' }

const temporary = useFolder()
const clusters: TestCluster[] = []
afterAll(() => Promise.all(clusters.map((cluster) => cluster.stop())))

/** An installation that only the administrator `dba` has touched. */
type Managed = {
  /** The administrator's connection string, and the superuser's, to look at what others may not. */
  url: string
  superuserUrl: string
  /** Runs lines of a shell with its environment; returns what they wrote. */
  run(lines: string, env?: NodeJS.ProcessEnv): Promise<string>
}

async function startManaged(version: 15 | 18, place: string): Promise<Managed> {
  const cluster = await startServer(version)
  clusters.push(cluster)
  await withClient(cluster.adminUrl, (admin) => admin.query(`create role dba login createrole createdb password 'x'`))
  const server = Object.assign(new URL(cluster.adminUrl), { username: 'dba', password: 'x' }).href
  const env = { ...surroundings(temporary.path, server, secretKey, place), AUDIT_ACCEPT: asTested.join(',') }
  return {
    url: databaseUrl(server, 'inventory'),
    superuserUrl: databaseUrl(cluster.adminUrl, 'inventory'),
    run: (lines, more) => bash(lines, { ...env, ...more }),
  }
}

const as = (role: LoginRole, { url }: Managed) => roleUrl(url, role, secretKey)

/** The findings of the audit by level, rule and object. */
async function findingsOf({ run }: Managed): Promise<string[]> {
  const { findings } = JSON.parse(await run('studio-inventory audit --json || true'))
  return findings.map((one: Record<string, string>) => `${one.level} ${one.rule} ${one.object}`)
}

const queryAs = <Row extends object>(url: string, text: string, values: unknown[] = []) =>
  withClient(url, async (client) => (await client.query<Row>(text, values)).rows)

beforeAll(() => installCommand(temporary.path))

const version = process.env.TEST_POSTGRES_BIN ? 15 : 18

describe('an administrator without a superuser', () => {
  let managed: Managed
  let access: { token: string; studio: string }
  /** What the command says, and the login that it made. */
  let made: { output: string; login: string }

  beforeAll(async () => {
    managed = await startManaged(version, `life-${version}`)
    await queryAs(databaseUrl(managed.url, 'postgres'), 'create database inventory')
  })

  it('migrates, and reads in the warning what stays open and which setting admits analysts', async () => {
    const output = await managed.run('studio-inventory migrate && studio-inventory demo')
    expect(output).toMatch(/not a superuser: functions and languages .* stay open .* ANALYSTS_ON_OPEN_SERVER=true/)
    access = JSON.parse(await readFile(join(temporary.path, `life-${version}/demo.json`), 'utf8'))
  })

  it('finds one warning in the audit', async () => {
    expect(await findingsOf(managed)).toEqual(['warning server_left_open server'])
  })

  it('makes an analyst who has GraphQL, and whom PostgreSQL refuses', async () => {
    const output = await managed.run(`studio-inventory analyst create --studio '${access.studio}'`)
    made = { output, login: /analyst_[0-9a-f]{12}/.exec(output)?.[0] ?? '' }
    expect(output).toMatch(/PostgreSQL admits no analysts here.*ANALYSTS_ON_OPEN_SERVER=true/)
    expect(output).not.toContain('postgresql://')
    expect(await managed.run(`studio-inventory analyst token --login ${made.login}`)).toContain('eyJ')
    const [mapping] = await queryAs<{ studio: string }>(
      managed.superuserUrl,
      'select studio_id as studio from access.analyst_logins where login = $1',
      [made.login],
    )
    const opened = 'select (access.open_login_session($1, $2, now())).status'
    expect(await queryAs(as('studio_graphql', managed), opened, [mapping?.studio, made.login])).toEqual([
      { status: 200 },
    ])
    await queryAs(managed.url, `alter role ${made.login} password 'known'`)
    await expect(queryAs(urlOf(managed, made.login), 'select 1')).rejects.toThrow('permission denied for database')
  })

  it('admits analysts by the setting, which the audit calls an error', async () => {
    expect(await managed.run('studio-inventory migrate', open)).toContain('because of ANALYSTS_ON_OPEN_SERVER')
    const url = (await managed.run(`studio-inventory analyst rotate ${made.login}`, open)).split('\n')[0] ?? ''
    const rows = await queryAs<{ n: number }>(url, 'select count(*)::int as n from items')
    expect(rows[0]?.n).toBeGreaterThan(0)
    expect(await findingsOf(managed)).toEqual(['error server_left_open server'])
  })

  it('has a watchdog that sees and ends analysts who hold up others', async () => {
    await queryAs(managed.url, `alter role ${made.login} password 'known'`)
    for (const [statement, reason] of [
      ['select pg_advisory_lock(1)', 'it holds an advisory lock'],
      ['begin; set transaction read write; select pg_current_xact_id()', 'its transaction holds a transaction id'],
    ] as const) {
      await withClient(urlOf(managed, made.login), async (analyst) => {
        await analyst.query(statement)
        const ended = await queryAs(
          as('studio_recorder', managed),
          'select login, action, reason from access.watch_analysts()',
        )
        expect(ended).toEqual([{ login: made.login, action: 'ended', reason }])
        await expect(analyst.query('select 1')).rejects.toThrow(/terminat/)
      }).catch((error: Error) => expect(error.message).toMatch(/terminat/))
    }
  })

  it('ends an analyst, and refuses the others again without the setting', async () => {
    await managed.run('studio-inventory migrate')
    await expect(queryAs(urlOf(managed, made.login), 'select 1')).rejects.toThrow('permission denied for database')
    expect(await managed.run(`studio-inventory analyst drop ${made.login}`)).toContain(`Dropped: ${made.login}`)
  })

  it('lets a backup read every row of every table, and nobody else', async () => {
    const tables = await queryAs<{ name: string }>(
      managed.superuserUrl,
      `select oid::regclass::text as name from pg_class where relkind = 'r'
         and relnamespace::regnamespace::text in ('app', 'access', 'graphile_migrate') order by 1`,
    )
    const counts = (url: string, role = '') =>
      withClient(url, async (client) => {
        if (role) await client.query(`set role ${role}`)
        const texts = tables.map(({ name }) => `select '${name}' as name, count(*) as n from ${name}`)
        return (await client.query(texts.join(' union all '))).rows
      })
    expect(await counts(managed.url, 'studio_backup')).toEqual(await counts(managed.superuserUrl))
    const read = withClient(managed.url, async (client) => {
      await client.query('set role studio_owner')
      return (await client.query('select count(*)::int as n from app.items')).rows
    })
    expect(await read).toEqual([{ n: 0 }])
  })
})

const urlOf = ({ url }: Managed, login: string) =>
  Object.assign(new URL(url), { username: login, password: 'known' }).href
