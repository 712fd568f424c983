import { chown, mkdir, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { roleUrl } from '../../src/database/roles.ts'
import { runAs, serverAccount } from '../../src/embedded/programs.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { asTested } from '../audit/findings.ts'
import { end, type Instance, startInstance } from '../scaling/processes.ts'
import { stopServerOf } from '../support/embedded.ts'
import { databaseUrl } from '../support/server.ts'
import { createSyncClient, lists, type SyncClient } from '../sync/client.ts'
import { additiveRelease } from '../upgrade/release.ts'
import { bash, block, installCommand, programs as oldPrograms, surroundings } from './installation.ts'

const log = makeLogger({ level: 'error', fileDescriptor: 2 })
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
const [firstKey, secondKey] = ['the first secret key of an installation', 'the second secret key of an installation']

/** What a client asks after each step: no photo, because its signature has the time of the request. */
const questions = [
  ...['/v1/account', '/v1/items?per_page=100', '/v1/items?q=neumann', '/v1/maintenance?per_page=100', '/v1/policies'],
  ...['/v1/locations', '/v1/valuations?per_page=100', '/v1/valuations/summary', '/v1/removals'],
  '/v1/valuations/summary?on=2026-01-31',
]

export type Life = Awaited<ReturnType<typeof beginLife>>

/** Begins an installation in an empty folder: a server of PostgreSQL 15 with an administrator, and
 * later another of 18.
 * @param administrator a superuser, or `managed`: with CREATEROLE and CREATEDB, as on a managed PostgreSQL */
export async function beginLife(folder: string, administrator: 'superuser' | 'managed') {
  const managed = administrator === 'managed'
  const running = new Map<string, EmbeddedServer>()

  /** Starts the server of a folder, and makes the administrator there. Returns the superuser's address. */
  async function startServer(name: string, programs?: string): Promise<string> {
    const server = await openEmbedded(join(folder, name), log, programs ? { settings, programs } : { settings })
    running.set(name, server)
    const text = `do $$ begin create role dba login createrole createdb password 'x'; exception when duplicate_object then end $$`
    if (managed) await withClient(server.url, (superuser) => superuser.query(text))
    return server.url
  }

  let superuser = await startServer('fifteen', oldPrograms)
  let key = firstKey
  let service: Instance
  let demo: { token: string; studio: string }
  let client: SyncClient
  let answers: Record<string, string>
  /** What an audit of this release does not know. */
  const accepted = [...asTested, ...(managed ? ['server_left_open'] : [])]

  /** The first value of a query that a superuser asks. */
  const ask = <Value>(text: string) =>
    withClient(databaseUrl(superuser, 'inventory'), async (asking) => {
      const [row] = (await asking.query<Record<string, Value>>(text)).rows
      return Object.values(row ?? {})[0] as Value
    })
  const administratorUrl = () =>
    managed ? Object.assign(new URL(superuser), { username: 'dba', password: 'x' }).href : superuser
  const databaseOfLife = () => databaseUrl(administratorUrl(), 'inventory')
  const env = () => ({
    ...surroundings(folder, administratorUrl(), key, 'data'),
    ...{ AUDIT_ACCEPT: accepted.join(','), AUDIT_ADMINISTRATORS: managed ? 'dba,postgres' : 'postgres' },
    ...{ PUBLIC_URL: 'https://api.example.com', GRAPHQL_PORT: '0', LOG_LEVEL: 'error' },
    RATE_LIMITS: 'studio=100000/1000000',
  })
  const run = (lines: string) => bash(lines, env())
  const documented = async (heading: string, word = '') => run(await block(heading, word))

  /** Starts the service, and ends the process that served before. Clients turn to the new one first. */
  async function serve(more: Record<string, string> = {}): Promise<void> {
    const before = service as Instance | undefined
    service = await startInstance({ ...env(), ...more } as Record<string, string>)
    if (before) await end(before.child, 'SIGTERM')
  }
  const request = (path: string) =>
    fetch(service.url + path, { headers: { Authorization: `Bearer ${demo.token}` } }).then(
      async (response) => ({ status: String(response.status), body: await response.text() }),
      (error) => ({ status: String(error.cause?.code ?? error.message), body: '' }),
    )
  const newClient = () => createSyncClient({ baseUrl: () => `${service.url}/v1`, token: demo.token })
  async function answersNow(): Promise<Record<string, string>> {
    const asked = questions.map(async (path) => [path, (await request(path)).body] as const)
    return Object.fromEntries(await Promise.all(asked))
  }

  return {
    async install(): Promise<void> {
      await installCommand(folder)
      await mkdir(join(folder, 'data'))
      await withClient(administratorUrl(), (asking) => asking.query('create database inventory'))
      await run('studio-inventory migrate && studio-inventory demo')
      demo = JSON.parse(await readFile(join(folder, 'data/demo.json'), 'utf8'))
      await run(`studio-inventory analyst create --studio '${demo.studio}'`)
      await serve()
      answers = await answersNow()
      client = newClient()
      await client.poll()
    },

    /** Lets the studios be a year older, with a hundred thousand requests, and waits for the jobs. */
    async aYear(): Promise<void> {
      await ask(`update app.studios set closes_since = closes_since - interval '1 year'`)
      await ask(`insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms, details)
        select t.studio_id, t.id, now() - interval '1 year' + n * interval '2 minutes', '/v1/items', 200, 3, '{"ip": "192.0.2.1"}'
        from (select * from access.tokens limit 1) t, generate_series(1, 100000) n`)
      await serve()
      const wait = { timeout: 120_000, interval: 500 }
      await vi.waitUntil(async () => (await this.closedMonths()) >= 12, wait)
      await vi.waitUntil(async () => (await this.oldDetails()) === 0, wait)
    },
    /** How many months every studio has closed. */
    closedMonths: () =>
      ask<number>(`select min(months)::integer from (select count(c.month_end) as months
        from app.studios s left join app.closings c on c.studio_id = s.id group by s.id) studios`),
    /** Of how many requests of more than 90 days ago the database has details. */
    oldDetails: () =>
      ask<number>(`select count(*)::integer from access.request_activity
        where details is not null and at < now() - interval '90 days'`),

    /** The steps of docs/operating.md. */
    async rotateSecret(): Promise<void> {
      await serve({ SECRET_KEY_NEXT: secondKey })
      key = secondKey
      await run('studio-inventory migrate --rotate-secret')
      await serve({ SECRET_KEY_PREVIOUS: firstKey })
      await serve()
    },
    /** Logs in to the database with the password of a key. @throws as PostgreSQL refuses it */
    logIn: (which: 'first' | 'second') =>
      withClient(
        roleUrl(databaseOfLife(), 'studio_api', which === 'first' ? firstKey : secondKey),
        async () => undefined,
      ),

    backUp: () => documented(managed ? 'Without a superuser' : 'Backup', 'pg_dump '),
    dumpWithoutRole: () => run('pg_dump --dbname="$DATABASE_URL" --file=nothing.sql'),
    async restore(): Promise<void> {
      superuser = await startServer('eighteen')
      await rm(join(folder, 'data/photos'), { recursive: true, force: true })
      await mkdir(join(folder, 'data/photos'), { recursive: true })
      await documented(managed ? 'Without a superuser' : 'Restore', 'pg_restore ')
      await serve()
    },
    /** The password verifiers of the analysts' logins. */
    analysts: () =>
      ask<string>(
        `select string_agg(rolname || rolpassword, ' ' order by rolname) from pg_authid where rolname ~ '^analyst_'`,
      ),

    /** How many analysts' logins may become studio_analyst, of which PostgreSQL 15 lets each. */
    becoming: () =>
      ask<number>(`select count(*)::integer from pg_auth_members m
        where m.roleid = 'studio_analyst'::regrole and m.member::regrole::text ~ '^analyst_' and (to_jsonb(m) ->> 'set_option')::boolean`),

    /** Brings a next release: columns, an index and other functions. */
    async migrate(): Promise<void> {
      const release = await additiveRelease()
      try {
        await migrate(databaseOfLife(), key, log, release)
      } finally {
        await rm(release, { recursive: true })
      }
      const columns = ['api_v1.locations.floor', 'app.items.shelf', 'app.locations.floor']
      accepted.push('view api_v1.locations', 'index app.locations_by_floor', ...columns.map((name) => `column ${name}`))
    },

    /** Upgrades the server of PostgreSQL 15 by the pg_upgrade of `programs`. */
    async upgrade(programs: string): Promise<void> {
      const place = join(folder, 'fifteen')
      superuser = await startServer('fifteen', oldPrograms)
      const [reset = '', , ...after] = (await block('A newer major version of PostgreSQL')).split('\n')
      await run(reset)
      await stopServerOf(place)
      await pgUpgrade(place, programs)
      superuser = await startServer('fifteen', programs)
      await run(after.join('\n'))
      await serve()
    },
    /** The grants on the server's own functions that pg_upgrade would carry over. */
    async carriedOver(): Promise<string[]> {
      const dump = await run('pg_dump --binary-upgrade --schema-only --dbname="$DATABASE_URL"')
      return dump.split('\n').filter((line) => /^(grant|revoke) .* on function pg_catalog\./i.test(line))
    },
    /** Runs the command that makes it carry nothing over. */
    async openFunctions(): Promise<void> {
      await run((await block('A newer major version of PostgreSQL')).split('\n')[0] ?? '')
    },
    closeFunctions: () => run('studio-inventory migrate'),

    /** What clients get while `work` runs, by status. */
    async underLoad(work: () => Promise<unknown>): Promise<Record<string, number>> {
      const seen: Record<string, number> = {}
      let working = true
      const clients = Array.from({ length: 4 }, async (_, index) => {
        for (let turn = index; working; turn += 1) {
          const { status } = await request(questions[turn % questions.length] ?? '')
          seen[status] = (seen[status] ?? 0) + 1
        }
      })
      await work().finally(() => {
        working = false
        return Promise.all(clients)
      })
      return seen
    },

    /** What the audit finds, in its last line. */
    async audit(): Promise<string> {
      const output = await run('studio-inventory audit').catch((error: Error) => error.message)
      return /: (nothing found)\.\s*$/.exec(output)?.[1] ?? output
    },
    /** Compares the copy of the client that has polled all the time with that of a new client. */
    async compareCopy(): Promise<{ wrong: string[]; records: number }> {
      await sleep(2_500)
      await client.poll()
      const truth = newClient()
      await truth.poll()
      const wrong = lists.flatMap(([resource]) => {
        const ids = new Set([...client.copy[resource].keys(), ...truth.copy[resource].keys()])
        return [...ids].filter((id) => client.copy[resource].get(id) !== truth.copy[resource].get(id))
      })
      return { wrong, records: lists.reduce((sum, [resource]) => sum + truth.copy[resource].size, 0) }
    },
    /** The questions that have another answer than after the installation. */
    async changedAnswers(): Promise<string[]> {
      const now = await answersNow()
      return questions.filter((path) => now[path] !== answers[path])
    },
    bytes: () => ask<string>('select pg_database_size(current_database())').then(Number),

    async end(): Promise<void> {
      if (service) await end(service.child, 'SIGTERM')
      for (const [name, server] of running) {
        await server.close()
        await stopServerOf(join(folder, name))
      }
    },
  }
}

/** Upgrades the server of a data folder, whose superuser is postgres, to the PostgreSQL of `programs`. */
async function pgUpgrade(folder: string, programs: string): Promise<void> {
  const [old, made] = [join(folder, 'postgres-15'), join(folder, 'postgres')]
  await rename(made, old)
  const account = await serverAccount([old])
  await mkdir(made, { mode: 0o700 })
  if (account) await chown(made, account.uid, account.gid)
  const form = '--encoding=UTF8 --locale=C.UTF-8 --username=postgres --no-data-checksums --auth=trust'
  const trust = `echo 'local all all trust' >`
  for (const step of [
    `"${programs}/initdb" -D "${made}" ${form}`,
    `cp "${old}/pg_hba.conf" "${made}/later.conf" && ${trust}"${old}/pg_hba.conf" && ${trust}"${made}/pg_hba.conf"`,
    `cd "${made}" && "${programs}/pg_upgrade" -b "${oldPrograms}" -B "${programs}" -d "${old}" -D "${made}" -U postgres -s "${made}"`,
    `mv "${made}/later.conf" "${made}/pg_hba.conf"`,
  ]) {
    const { ok, output } = await runAs(account, '/bin/sh', '-c', step)
    if (!ok) throw new Error(`${step}: ${output}`)
  }
}
