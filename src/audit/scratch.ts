import { randomBytes } from 'node:crypto'
import { type Client, type Transaction, withSafeClient } from '../database/client.ts'
import { sqlState } from '../database/errors.ts'
import { retryConflicts } from '../migration/conflicts.ts'
import { committedMigrations, ourMigrations } from '../migration/migrations.ts'
import { runCommitted, withFolderOf } from '../migration/run-committed.ts'
import { type Facts, nameOf, readInventory, readServerOwn } from './inventory.ts'
import { type SystemKey, systemKeyOf } from './system-objects.ts'

/** The objects that this release installs on a server, read from a temporary database. */
export type Installed = {
  things: ReadonlyMap<string, Facts>
  /** The server's own objects: their rights in a new database, and with this release. */
  system: ReadonlyMap<string, SystemKey & { rows: string[]; before: Facts; after: Facts }>
}

/** Why a comparison is impossible. */
export type NotInstalled = { reason: string }

/** Names of temporary databases, with the process id of the session that drops them. */
const made = /^studio_scratch_(\d+)_[0-9a-f]{12}$/

/** Installs this release in a temporary database, reads it, and commits nothing. Roles belong to
 * the whole server, so the transaction renames the existing ones first. */
export async function install(url: string, migrationsFolder = ourMigrations): Promise<Installed | NotInstalled> {
  try {
    return await withSafeClient(url, async (admin) => {
      const reason = await hindrance(admin)
      if (reason !== undefined) return { reason }
      await dropAbandoned(admin)
      const [text, name] = await creation(admin)
      await admin.query(text)
      try {
        await admin.query(`revoke all on database ${name} from public`)
        const other = new URL(url)
        other.pathname = `/${name}`
        await makeMigrationTables(other.href)
        return await withSafeClient(other.href, (client) => readInstalled(client, migrationsFolder))
      } finally {
        await admin.query(`drop database ${name} with (force)`)
      }
    })
  } catch (error) {
    if (sqlState(error) === undefined) throw error
    return { reason: `cannot install this release in a separate database: ${(error as Error).message}` }
  }
}

async function hindrance(admin: Client): Promise<string | undefined> {
  const { rows } = await admin.query<{ login: string; may: boolean; standby: boolean }>(
    `select rolname as login, rolsuper or (rolcreatedb and rolcreaterole) as may, pg_is_in_recovery() as standby
     from pg_roles where rolname = current_user`,
  )
  if (rows[0]?.standby) return 'the server is a standby, on which nobody can create a database'
  if (rows[0]?.may) return undefined
  return `${rows[0]?.login} may not create databases and roles (CREATEDB, CREATEROLE), which the comparison needs`
}

/** Drops temporary databases of killed audits. Spares those whose sessions still exist. */
async function dropAbandoned(admin: Client): Promise<void> {
  const { rows } = await admin.query<{ name: string }>(
    'select datname as name from pg_database where datdba = (select oid from pg_roles where rolname = current_user)',
  )
  const sessions = await admin.query<{ pid: number }>('select pid from pg_stat_activity')
  const pids = new Set(sessions.rows.map(({ pid }) => String(pid)))
  for (const { name } of rows) {
    const pid = made.exec(name)?.[1]
    if (pid === undefined || pids.has(pid)) continue
    await admin.query(`drop database if exists ${name}`).catch(() => undefined)
  }
}

/** A database as initdb makes it, with the audited database's collation. */
async function creation(admin: Client): Promise<[text: string, name: string]> {
  const { rows } = await admin.query<{ pid: number; like: string }>(
    `select pg_backend_pid() as pid, concat(
       format('encoding %L lc_collate %L lc_ctype %L', pg_encoding_to_char(d.encoding), d.datcollate, d.datctype),
       case d.datlocprovider
         when 'i' then format(' locale_provider icu icu_locale %L', coalesce(to_jsonb(d) ->> 'datlocale', to_jsonb(d) ->> 'daticulocale'))
         when 'b' then format(' locale_provider builtin builtin_locale %L', to_jsonb(d) ->> 'datlocale')
         else ' locale_provider libc' end) as like
     from pg_database d where d.datname = current_database()`,
  )
  const name = `studio_scratch_${rows[0]?.pid}_${randomBytes(6).toString('hex')}`
  return [`create database ${name} template template0 ${rows[0]?.like}`, name]
}

async function readInstalled(client: Client, migrationsFolder: string): Promise<Installed> {
  // Others may change the same roles.
  return retryConflicts(async () => {
    try {
      await client.query('begin')
      return await installIn(client, migrationsFolder)
    } finally {
      await client.query('rollback')
    }
  })
}

async function installIn(client: Client, migrationsFolder: string): Promise<Installed> {
  const transaction: Transaction = {
    query: async <Row extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query<Row>(text, [...values])).rows,
  }
  const before = new Map((await readServerOwn(transaction)).map((thing) => [systemKeyOf(thing), thing.privileges]))
  // Below PostgreSQL's deadlock_timeout (1 s): other sessions that change a role win.
  await client.query(`set local lock_timeout = '500ms'; set local check_function_bodies = off`)
  const { rows } = await client.query<{ name: string }>(
    `select quote_ident(rolname) as name from pg_roles where rolname ~ '${ours.source}' order by 1`,
  )
  for (const { name } of rows)
    await client.query(`alter role ${name} rename to ${name}_${randomBytes(4).toString('hex')}`)
  await runMigrations(client, migrationsFolder)
  const { things, system } = await readInventory(transaction, {})
  return {
    things: new Map(things.filter(isOfTheDatabase).map((thing) => [nameOf(thing), thing.facts])),
    system: new Map(
      system.map((thing) => {
        const key = systemKeyOf(thing)
        return [key, { ...thing, before: before.get(key) ?? {}, after: thing.privileges }]
      }),
    ),
  }
}

/** Lets graphile-migrate make its own tables, which the migrations refer to. */
async function makeMigrationTables(databaseUrl: string): Promise<void> {
  await withFolderOf([], (migrationsFolder) => runCommitted({ databaseUrl, migrationsFolder, lockTimeoutMs: 0 }))
}

/** Runs the committed migrations in the open transaction. graphile-migrate would commit them. */
async function runMigrations(client: Client, migrationsFolder: string): Promise<void> {
  for (const { sql, index } of await committedMigrations(migrationsFolder)) {
    // The same index comes of it. No transaction can build one concurrently.
    await client.query(index === undefined ? sql : sql.replace('index concurrently', 'index'))
    await client.query('reset role')
  }
}

const ours = /^studio_(owner|api|recorder|writer|console|graphql|analyst|auditor|backup)$/

/** A server has these objects before an installation. This release's roles are not among them. */
function isOfTheDatabase({ kind, object }: { kind: string; object: string }): boolean {
  if (kind === 'role') return ours.test(object)
  return !['parameter', 'security label', 'setting', 'subscription', 'tablespace'].includes(kind)
}
