import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transaction } from '../database/session.ts'
import { type Rights, readSystemObjects, type SystemObject } from './system-objects.ts'

/** The facts about an object: aspects and their values. */
export type Facts = Record<string, string>

/** An object of the database, or one of the server that matters to it. */
export type InventoryObject = { kind: string; object: string; facts: Facts }

export type Inventory = {
  things: InventoryObject[]
  system: SystemObject[]
  /** The roles that counted as administrators, with their powers. */
  administrators: string[]
  /** Objects that could be mistaken for the server's own. */
  overloads: string[]
  /** Names of the settings that every login may set for itself. */
  ownSettings: ReadonlySet<string>
  /** Server settings that this login may see. */
  settings: Facts
  /** What this login may not see. */
  unseen: string[]
}

/** The name of an object in findings, by which an operator accepts it. */
export function nameOf({ kind, object }: { kind: string; object: string }): string {
  return `${kind} ${object}`.trim()
}

/** The state of objects in 84 bits. Omits a login's remaining time, which changes by itself. */
export function stateOf(things: readonly InventoryObject[]): string {
  const known = things.map((thing) => {
    const { 'valid for': _, ...facts } = thing.facts
    return JSON.stringify([nameOf(thing), Object.entries(facts).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  })
  return createHash('sha256').update(known.toSorted().join('\n')).digest('base64url').slice(0, 14)
}

const folder = join(import.meta.dirname, 'inventory')

/** Queries that are not about objects, or that run separately. */
const apart = ['administrators.sql', 'files.sql', 'names.sql', 'overloads.sql', 'server.sql', 'slots.sql', 'system.sql']

/** Reads the database. The program has the queries, so nobody who changes the database can
 * change them. `administrators` undefined: every role that looks like one. */
export async function readInventory(
  transaction: Transaction,
  settings: Facts,
  administrators?: readonly string[],
): Promise<Inventory> {
  await askPlainly(transaction)
  const overloads = await readOverloads(transaction)
  const [about] = await transaction.query<{ major: number; statistics: boolean }>(
    `select current_setting('server_version_num')::integer / 10000 as major,
       has_column_privilege('pg_statistic', 'starelid', 'SELECT')
         and has_column_privilege('pg_statistic', 'staattnum', 'SELECT')
         and has_column_privilege('pg_statistic', 'stainherit', 'SELECT') as statistics`,
  )
  if (about === undefined) throw new Error('the database says nothing of itself')
  const own = await transaction.query<{ name: string }>(`select name from pg_settings where context = 'user'`)
  const without = about.statistics ? apart : [...apart, 'statistics.sql']
  return {
    things: await readThings(transaction, without, administrators),
    system: await readServerOwn(transaction, administrators),
    administrators: await readAdministrators(transaction, administrators),
    overloads,
    ownSettings: new Set(own.map(({ name }) => name)),
    settings,
    unseen: [
      ...(about.statistics ? [] : ['whether statistics were kept (pg_statistic)']),
      ...unseenSettings(settings, about.major),
    ],
  }
}

/** Protects the queries from settings of login, database and server until the transaction ends. */
async function askPlainly(transaction: Transaction): Promise<void> {
  await transaction.query('set local search_path = pg_catalog, pg_temp')
  await transaction.query('set local standard_conforming_strings = on')
  for (const setting of ['transform_null_equals', 'quote_all_identifiers', 'jit'])
    await transaction.query(`set local ${setting} = off`)
}

async function readThings(
  transaction: Transaction,
  without: readonly string[],
  administrators: readonly string[] | undefined,
): Promise<InventoryObject[]> {
  const things = new Map<string, InventoryObject>()
  for (const file of (await readdir(folder)).toSorted()) {
    if (!file.endsWith('.sql') || without.includes(file)) continue
    for (const { kind, object, facts } of await ask<InventoryObject>(
      transaction,
      administrators,
      await queryIn(file),
    )) {
      const key = `${kind} ${object}`
      things.set(key, { kind, object, facts: { ...things.get(key)?.facts, ...facts } })
    }
  }
  return [...things.values()]
}

/** Reads the objects that come with the server. */
export async function readServerOwn(
  transaction: Transaction,
  administrators?: readonly string[],
): Promise<SystemObject[]> {
  await askPlainly(transaction)
  return readSystemObjects(transaction, await ask<Rights>(transaction, administrators, await queryIn('system.sql')))
}

/** Finds objects in pg_catalog named like system objects. Runs first: queries could use them. */
async function readOverloads(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ kind: string; oid: string; name: string | null }>(
    await queryIn('overloads.sql'),
  )
  return rows.map(({ kind, oid, name }) => (name === null ? `${kind} ${oid}` : `${kind} ${name} (${oid})`)).toSorted()
}

/** Reads the server's settings and replication slots with the login's own rights. */
export async function readSettings(transaction: Transaction): Promise<Facts> {
  const [may] = await transaction.query<{ slots: boolean; files: boolean }>(
    `select pg_catalog.has_function_privilege('pg_catalog.pg_get_replication_slots()', 'EXECUTE') as slots,
       pg_catalog.has_function_privilege('pg_catalog.pg_show_all_file_settings()', 'EXECUTE') as files`,
  )
  const texts = [
    await queryIn('server.sql'),
    ...(may?.files ? [await queryIn('files.sql')] : []),
    ...(may?.slots ? [await queryIn('slots.sql')] : []),
  ]
  const rows = await transaction.query<{ name: string; value: string }>(texts.join('\nunion all\n'), [
    Object.keys(sound),
  ])
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

async function readAdministrators(
  transaction: Transaction,
  administrators: readonly string[] | undefined,
): Promise<string[]> {
  const text = await queryIn('administrators.sql')
  const rows = await ask<{ name: string; powers: string }>(transaction, administrators, text)
  return rows.map(({ name, powers }) => `${name} (${powers || 'no powers'})`)
}

/** Runs a query that begins with names.sql. */
async function ask<Row extends object>(
  transaction: Transaction,
  administrators: readonly string[] | undefined,
  text: string,
): Promise<Row[]> {
  return transaction.query<Row>((await queryIn('names.sql')) + text, [administrators ?? null])
}

function queryIn(file: string): Promise<string> {
  return readFile(join(folder, file), 'utf8')
}

/** A server setting with the value that it should have, and the major versions that have it. */
type Sound = { value: string; since?: number; until?: number }

/** Settings of a server that loads nothing foreign and keeps its guards, logging excepted. */
const sound: Record<string, Sound> = {
  allow_system_table_mods: { value: 'off' },
  archive_cleanup_command: { value: '' },
  archive_command: { value: '' },
  archive_library: { value: '' },
  createrole_self_grant: { value: '', since: 16 },
  db_user_namespace: { value: 'off', until: 16 },
  dynamic_library_path: { value: '$libdir' },
  event_triggers: { value: 'on', since: 17 },
  extension_control_path: { value: '$system', since: 18 },
  jit_provider: { value: 'llvmjit' },
  lo_compat_privileges: { value: 'off' },
  local_preload_libraries: { value: '' },
  max_prepared_transactions: { value: '0' },
  oauth_validator_libraries: { value: '', since: 18 },
  password_encryption: { value: 'scram-sha-256' },
  recovery_end_command: { value: '' },
  restore_command: { value: '' },
  row_security: { value: 'on' },
  search_path: { value: '"$user", public' },
  session_preload_libraries: { value: '' },
  session_replication_role: { value: 'origin' },
  shared_preload_libraries: { value: '' },
  ssl_passphrase_command: { value: '' },
  standard_conforming_strings: { value: 'on' },
  transform_null_equals: { value: 'off' },
}

/** Read with the settings: this database's replication slots, of which there should be none. */
const slots = 'replication slots'

/** Read with the settings, if allowed: what configuration files change later. */
const nextStart = 'what the next start changes'

/** The suffix of a setting's name in files.sql. */
const atNextStart = ' at the next start'

/** Settings that are not as they should be, or should not be set, with their names in findings. */
export function unsoundSettings(found: Facts): { name: string; value: string; wanted: string; object: string }[] {
  return Object.entries(found).flatMap(([name, value]) => {
    const wanted = sound[name.replace(atNextStart, '')]?.value ?? ''
    return value === wanted ? [] : [{ name, value, wanted, object: name === slots ? name : `setting ${name}` }]
  })
}

/** Settings of this major version that the login cannot see. */
function unseenSettings(found: Facts, major: number): string[] {
  const names = Object.entries(sound).flatMap(([name, { since = 0, until = Number.POSITIVE_INFINITY }]) =>
    since <= major && major <= until && !(name in found) ? [`the setting ${name}`] : [],
  )
  return [...names, ...[nextStart, slots].filter((name) => !(name in found))]
}
