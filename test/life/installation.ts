import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { vi } from 'vitest'
import { withClient } from '../../src/database/client.ts'
import { runAs, serverAccount } from '../../src/embedded/programs.ts'
import { type EmbeddedServer, openEmbedded } from '../../src/embedded/server.ts'
import { makeLogger } from '../../src/log.ts'
import { migrate } from '../../src/migration/migrate.ts'
import { asTested } from '../audit/findings.ts'
import { end, type Instance, startInstance } from '../scaling/processes.ts'
import { documented, runLines } from '../support/documented.ts'
import { stopServerOf } from '../support/embedded.ts'
import { databaseUrl } from '../support/server.ts'
import { createSyncClient, lists, type SyncClient } from '../sync/client.ts'
import { additiveRelease } from '../upgrade/release.ts'
import type { Profile } from './profiles.ts'

const project = join(import.meta.dirname, '../..')
const oldPrograms = process.env.TEST_POSTGRES_BIN ?? '/usr/lib/postgresql/15/bin'
const log = makeLogger({ level: 'error', fileDescriptor: 2 })
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }
const [firstKey, secondKey] = ['the first secret key of an installation', 'the second secret key of an installation']

/** What a client asks after each step. A photo's signature has the time of the request, so none is asked for. */
const questions = [
  ...['/v1/account', '/v1/items?per_page=100', '/v1/items?q=neumann', '/v1/maintenance?per_page=100', '/v1/policies'],
  ...['/v1/locations', '/v1/valuations?per_page=100', '/v1/valuations/summary', '/v1/removals'],
  '/v1/valuations/summary?on=2026-01-31',
]

export type Installation = Awaited<ReturnType<typeof openInstallation>>

/** Opens an installation that is nothing yet: a server of PostgreSQL 15, another of 18, and an administrator. */
export async function openInstallation(profile: Profile) {
  const folder = await mkdtemp(join(tmpdir(), 'studio-inventory-life-'))
  await chmod(folder, 0o755)
  const commands = `#!/bin/sh\nexec ${process.execPath} ${project}/src/cli/main.ts "$@"\n`
  await writeFile(join(folder, 'studio-inventory'), commands, { mode: 0o755 })
  const servers: EmbeddedServer[] = []
  /** Starts the server of a folder, and makes the administrator if it has none yet. */
  async function startServer(name: string, programs?: string): Promise<string> {
    const server = await openEmbedded(join(folder, name), log, programs ? { settings, programs } : { settings })
    servers.push(server)
    const url = new URL(databaseUrl(server.url, 'postgres'))
    const { rowCount } = await withClient(url.href, (su) =>
      su.query('select from pg_roles where rolname = $1', [profile.user]),
    )
    if (rowCount === 0) for (const text of profile.prepare ?? []) await withClient(url.href, (su) => su.query(text))
    if (profile.user !== 'postgres') Object.assign(url, { username: profile.user, password: 'x' })
    return url.href
  }

  let server = await startServer('fifteen', oldPrograms)
  let key = firstKey
  let service: Instance | undefined
  let demo: { token: string; studio: string }
  let client: SyncClient
  let answers: Record<string, string> = {}
  /** What the audit does not know yet. */
  const accepted: string[] = []
  const database = () => databaseUrl(server, 'inventory')
  const admin = <Result>(text: string) =>
    withClient(database(), async (asking) => (await asking.query(text)).rows[0].answer as Result)

  const env = () => ({
    PATH: [folder, oldPrograms, process.env.PATH].join(delimiter),
    HOME: folder,
    SERVER_URL: server,
    DATABASE_URL: database(),
    SECRET_KEY: key,
    DATA_DIR: join(folder, 'data'),
    PHOTOS_DIR: join(folder, 'data/photos'),
    AUDIT_ACCEPT: [...asTested, ...accepted].join(','),
    ...(profile.user === 'postgres' ? {} : { AUDIT_ADMINISTRATORS: profile.user }),
    LOG_LEVEL: 'error',
    PUBLIC_URL: 'https://api.example.com',
    GRAPHQL_PORT: '0',
  })
  const run = (lines: string) => runLines(lines, folder, env())
  const start = async (more: Record<string, string> = {}) => {
    service = await startInstance({ ...env(), RATE_LIMITS: 'studio=100000/1000000', ...more } as Record<string, string>)
  }
  const stop = async () => {
    if (service) await end(service.child, 'SIGTERM')
  }
  const ask = (path: string) =>
    fetch(service?.url + path, { headers: { Authorization: `Bearer ${demo.token}` } }).then(
      async (response) => ({ status: String(response.status), body: await response.text() }),
      (error) => ({ status: String(error.cause?.code ?? error.message), body: '' }),
    )
  const ownClient = () => createSyncClient({ baseUrl: () => `${service?.url}/v1`, token: demo.token })
  async function answersNow(): Promise<Record<string, string>> {
    const asked = questions.map(async (path) => [path, (await ask(path)).body] as const)
    return Object.fromEntries(await Promise.all(asked))
  }

  return {
    /** Migrates, loads the demo, makes an analyst's login, and starts the service. */
    async install(): Promise<void> {
      await mkdir(join(folder, 'data'))
      await withClient(server, (asking) => asking.query('create database inventory'))
      await run('studio-inventory migrate && studio-inventory demo')
      demo = JSON.parse(await readFile(join(folder, 'data/demo.json'), 'utf8'))
      await run(`studio-inventory analyst create --studio '${demo.studio}'`)
      await start()
      answers = await answersNow()
      client = ownClient()
      await client.poll()
    },

    /** The studios close the twelve months before, and a hundred thousand requests are a year old. */
    async aYear(): Promise<void> {
      await admin(`with changed as (update app.studios set closes_since = closes_since - interval '1 year' returning id)
        select count(*)::integer as answer from changed`)
      await admin(`with added as (
          insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms, details)
          select t.studio_id, t.id, now() - interval '1 year' + n * interval '2 minutes', '/v1/items', 200, 3, '{"ip": "192.0.2.1"}'
          from (select * from access.tokens limit 1) t, generate_series(1, 100000) n returning id)
        select count(*)::integer as answer from added`)
      await stop()
      await start()
      await vi.waitUntil(async () => (await this.closedMonths()) >= 12, { timeout: 120_000, interval: 500 })
      await vi.waitUntil(async () => (await this.detailsOfOldRequests()) === 0, { timeout: 60_000, interval: 500 })
    },
    /** How many months every studio has closed. */
    closedMonths: () =>
      admin<number>(`select min(months)::integer as answer from (select count(c.month_end) as months
        from app.studios s left join app.closings c on c.studio_id = s.id group by s.id) studios`),
    detailsOfOldRequests: () =>
      admin<number>(`select count(*)::integer as answer from access.request_activity
        where details is not null and at < now() - interval '90 days'`),

    async rotateSecret(): Promise<void> {
      throw new Error('not yet')
    },

    backUp: async () => run(await documented('Backup')),

    async restore(): Promise<void> {
      await stop()
      server = await startServer('eighteen')
      await rm(join(folder, 'data/photos'), { recursive: true, force: true })
      await mkdir(join(folder, 'data/photos'), { recursive: true })
      await run(await documented('Restore'))
      await start()
    },

    /** The server of PostgreSQL 15 becomes one of 18 by pg_upgrade. */
    async upgrade(programs: string): Promise<void> {
      await stop()
      server = await startServer('fifteen', oldPrograms)
      const [before = '', ...after] = (await documented('A newer major version of PostgreSQL')).split('\n').filter((line) => !line.startsWith('#'))
      await run(before)
      await stopServerOf(join(folder, 'fifteen'))
      await pgUpgrade(join(folder, 'fifteen'), programs)
      server = await startServer('fifteen', programs)
      await run(after.join('\n'))
      await start()
    },

    /** A release that adds columns, an index and other functions. */
    async migrate(): Promise<void> {
      const release = await additiveRelease()
      try {
        await migrate(database(), key, log, release)
        // An auditor of that release would know these.
        accepted.push('view api_v1.locations', 'index app.locations_by_floor')
        accepted.push(...['api_v1.locations.floor', 'app.items.shelf', 'app.locations.floor'].map((name) => `column ${name}`))
      } finally {
        await rm(release, { recursive: true })
      }
    },

    /** What clients got while `work` ran, by status. */
    async underLoad(work: () => Promise<unknown>): Promise<Record<string, number>> {
      const seen: Record<string, number> = {}
      let working = true
      const clients = Array.from({ length: 4 }, async (_, index) => {
        for (let turn = index; working; turn += 1) {
          const { status } = await ask(questions[turn % questions.length] ?? '')
          seen[status] = (seen[status] ?? 0) + 1
        }
      })
      await work().finally(async () => {
        working = false
        await Promise.all(clients)
      })
      return seen
    },

    /** What the audit says in its last line. */
    async audit(): Promise<string> {
      const lines = await run('studio-inventory audit').catch((error: Error) => error.message)
      return /: (nothing found)\.\s*$/.exec(lines)?.[1] ?? lines
    },

    /** Compares the copy of the client that has polled through everything with that of a new one. */
    async compareCopy(): Promise<{ wrong: string[]; records: number }> {
      await sleep(2_500)
      await client.poll()
      const truth = ownClient()
      await truth.poll()
      const wrong = lists.flatMap(([resource]) => {
        const ids = new Set([...client.copy[resource].keys(), ...truth.copy[resource].keys()])
        return [...ids].filter((id) => client.copy[resource].get(id) !== truth.copy[resource].get(id))
      })
      return { wrong, records: lists.reduce((sum, [resource]) => sum + truth.copy[resource].size, 0) }
    },

    /** The questions whose answer is another one than after the installation. */
    async changedAnswers(): Promise<string[]> {
      const now = await answersNow()
      return questions.filter((path) => now[path] !== answers[path])
    },

    bytes: () => admin<string>('select pg_database_size(current_database()) as answer').then(Number),

    async close(): Promise<void> {
      await stop()
      for (const one of servers) await one.close()
      for (const name of ['fifteen', 'eighteen']) await stopServerOf(join(folder, name))
      await rm(folder, { recursive: true, force: true })
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
  const form = ['--encoding=UTF8', '--locale=C.UTF-8', '--username=postgres', '--no-data-checksums', '--auth=trust']
  // The folder belongs to the server's user, as pg_upgrade writes its own there.
  const steps = [
    `"${programs}/initdb" -D "${made}" ${form.join(' ')}`,
    `cp "${old}/pg_hba.conf" "${made}/final_hba.conf"`,
    `echo 'local all all trust' >"${old}/pg_hba.conf"; echo 'local all all trust' >"${made}/pg_hba.conf"`,
    `cd "${made}" && "${programs}/pg_upgrade" -b "${oldPrograms}" -B "${programs}" -d "${old}" -D "${made}" -U postgres -s "${made}"`,
    `mv "${made}/final_hba.conf" "${made}/pg_hba.conf"`,
  ]
  for (const step of steps) {
    const { ok, output } = await runAs(account, '/bin/sh', '-c', step)
    if (!ok) throw new Error(`${step}: ${output}`)
  }
}
