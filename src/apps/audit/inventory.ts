import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Transaction } from '../../database/session.ts'
import type { Facts } from './facts.ts'
import { readOverloads } from './overloads.ts'
import { settingNames, unseenSettings } from './settings.ts'

/** An object of the database, or of the server as far as it matters to the database. */
export type Thing = { kind: string; object: string; facts: Facts }

/** One that comes with the server: what it is, and who may do what with it. */
export type SystemThing = { kind: string; object: string; definition: string; privileges: Facts }

export type Inventory = {
  major: number
  /** Whether the server runs on Linux: other systems have fewer settings. */
  linux: boolean
  things: Thing[]
  system: SystemThing[]
  /** Who was taken for an administrator: the names, with their powers. */
  administrators: string[]
  /** What may be taken for something that comes with the server. */
  overloads: string[]
  /** Settings of the server that this login may see. */
  settings: Facts
  /** What this login may not see. */
  unseen: string[]
}

const folder = join(import.meta.dirname, 'inventory')

/** What is no question about objects, or is asked apart. */
const apart = ['administrators.sql', 'names.sql', 'overloads.sql', 'server.sql', 'slots.sql']

/**
 * Reads what exists. The questions come with the program and not from the database: who can change the database must not
 * be able to change what is asked of it. Names are those of pg_catalog, whatever is on the login's search path.
 *
 * @param settings what `readSettings` said
 * @param administrators roles that may be taken for administrators; undefined: whoever looks like one
 */
export async function readInventory(
  transaction: Transaction,
  settings: Facts,
  administrators?: readonly string[],
): Promise<Inventory> {
  for (const setting of plainly) await transaction.query(`set local ${setting}`)
  const overloads = await readOverloads(transaction)
  const pinned = [administrators ?? null]
  const [about] = await transaction.query<{ major: number; linux: boolean; statistics: boolean }>(
    `select current_setting('server_version_num')::integer / 10000 as major, version() like '%linux%' as linux,
       has_column_privilege('pg_statistic', 'starelid', 'SELECT')
         and has_column_privilege('pg_statistic', 'staattnum', 'SELECT')
         and has_column_privilege('pg_statistic', 'stainherit', 'SELECT') as statistics`,
  )
  if (about === undefined) throw new Error('the database says nothing of itself')
  const names = await readFile(join(folder, 'names.sql'), 'utf8')
  const things = new Map<string, Thing>()
  for (const file of await questionsIn(folder)) {
    if (apart.includes(file) || (file === 'statistics.sql' && !about.statistics)) continue
    const text = await readFile(join(folder, file), 'utf8')
    for (const { kind, object, facts } of await transaction.query<Thing>(names + text, pinned)) {
      const key = `${kind} ${object}`
      const known = things.get(key)
      things.set(key, { kind, object, facts: { ...known?.facts, ...facts } })
    }
  }
  return {
    major: about.major,
    linux: about.linux,
    things: [...things.values()],
    system: await readSystem(transaction, names, pinned),
    administrators: await readAdministrators(transaction, names, pinned),
    overloads,
    settings,
    unseen: [
      ...(about.statistics ? [] : ['whether statistics were kept (pg_statistic)']),
      ...unseenSettings(settings, about.major),
    ],
  }
}

/** Whatever the login, the database or the server sets, the questions mean what they say. */
const plainly = [
  'search_path = pg_catalog, pg_temp',
  'standard_conforming_strings = on',
  'transform_null_equals = off',
  'quote_all_identifiers = off',
  'jit = off',
]

/** Settings of the server, and its replication slots. To be asked with the login's own rights: an administrator sees more of them than an auditor. */
export async function readSettings(transaction: Transaction): Promise<Facts> {
  const text = await readFile(join(folder, 'server.sql'), 'utf8')
  const slots = await readFile(join(folder, 'slots.sql'), 'utf8')
  const [may] = await transaction.query<{ slots: boolean }>(
    `select pg_catalog.has_function_privilege('pg_catalog.pg_get_replication_slots()', 'EXECUTE') as slots`,
  )
  const rows = await transaction.query<{ name: string; value: string }>(
    may?.slots ? `${text} union all (${slots})` : text,
    [settingNames],
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

async function readAdministrators(
  transaction: Transaction,
  names: string,
  pinned: readonly unknown[],
): Promise<string[]> {
  const text = await readFile(join(folder, 'administrators.sql'), 'utf8')
  const rows = await transaction.query<{ name: string; powers: string }>(names + text, pinned)
  return rows.map(({ name, powers }) => `${name} (${powers || 'no powers'})`)
}

async function readSystem(transaction: Transaction, names: string, pinned: readonly unknown[]): Promise<SystemThing[]> {
  const privileges = await readFile(join(folder, 'system/privileges.sql'), 'utf8')
  const things: SystemThing[] = []
  for (const file of await questionsIn(join(folder, 'system'))) {
    if (file === 'privileges.sql') continue
    const text = await readFile(join(folder, 'system', file), 'utf8')
    things.push(...(await transaction.query<SystemThing>(`${names}, things as (${text})\n${privileges}`, pinned)))
  }
  return things
}

async function questionsIn(place: string): Promise<string[]> {
  return (await readdir(place)).filter((file) => file.endsWith('.sql')).toSorted()
}
