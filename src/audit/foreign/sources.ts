import { asOwner, enterStudio, studioSetting, type Transaction } from '../../database/session.ts'

/** A table of studios' data: how to find a studio's rows, and its columns of words and ids. */
export type Source = { name: string; mine: string; columns: string[] }

/** The most studios to look at. */
const maxStudios = 500

/** The tables of one studio's rows, and those that all studios share. Omits columns of type
 * `name`: they hold names of logins, which everybody may read. */
export async function readSources(transaction: Transaction): Promise<{ sources: Source[]; shared: string[] }> {
  const rows = await transaction.query<{ name: string; columns: string[]; all: string[] }>(
    `select pg_catalog.format('%I.%I', n.nspname, c.relname) as name,
       pg_catalog.array_agg(a.attname::text order by a.attnum) as all,
       coalesce(pg_catalog.array_agg(pg_catalog.quote_ident(a.attname) order by a.attnum) filter (
         where a.atttypid in ('text'::regtype, 'varchar'::regtype, 'uuid'::regtype, 'bytea'::regtype, 'text[]'::regtype)),
         '{}') as columns
     from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relkind in ('r', 'p') and not c.relispartition and n.nspname in ('app', 'access')
       and pg_catalog.pg_get_userbyid(c.relowner) = 'studio_owner'
     group by 1 order by 1`,
  )
  const tables = rows.map(({ name, columns, all }) => ({ name, columns, mine: belongs(name, all) }))
  return {
    sources: tables.flatMap(({ name, columns, mine }) =>
      mine === undefined || columns.length === 0 ? [] : [{ name, mine, columns }],
    ),
    shared: tables.flatMap(({ name, mine }) => (mine === undefined && name.startsWith('app.') ? [name] : [])),
  }
}

const members = 'select m.user_id from access.members m where m.studio_id = $1'

function belongs(table: string, columns: string[]): string | undefined {
  if (table === 'app.studios') return 'id = $1'
  if (table === 'access.users') return `id in (${members})`
  if (columns.includes('studio_id')) return 'studio_id = $1'
  return columns.includes('user_id') ? `user_id in (${members})` : undefined
}

/** The studios with items, and the ids of all. */
export type Studios = { withItems: string[]; all: string[] }

/** Finds the studios with items. Those with rows in most tables come first, then the oldest. */
export async function readStudios(adminUrl: string): Promise<Studios> {
  return asOwner(adminUrl, async (transaction) => {
    const tables = (await readSources(transaction)).sources.filter(({ name }) => name.startsWith('app.'))
    const kinds = tables.map(({ name, mine }) => `(exists (select from ${name} where ${mine}))::integer`).join(' + ')
    const all = await transaction.query<{ id: string }>('select id from app.studios order by created_at, id')
    const filled: { id: string; kinds: number }[] = []
    for (const { id } of sampleEvenly(all, maxStudios)) {
      await enterStudio(transaction, id)
      const [row] = await transaction.query<{ items: boolean; kinds: number }>(
        `select exists (select from app.items where studio_id = $1) as items, ${kinds} as kinds`,
        [id],
      )
      if (row?.items) filled.push({ id, kinds: row.kinds })
    }
    const withItems = filled.toSorted((one, other) => other.kinds - one.kinds).map(({ id }) => id)
    return { withItems, all: all.map(({ id }) => id) }
  })
}

/** At most this many elements, spread over the list. */
export function sampleEvenly<Value>(list: readonly Value[], max: number): Value[] {
  if (list.length <= max) return [...list]
  return Array.from({ length: max }, (_, index) => list[Math.floor((index * list.length) / max)] as Value)
}

/** Words that everybody may read in the catalog, and so identify no studio. */
export async function readVocabulary(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ word: string }>(
    `select name as word from pg_catalog.pg_timezone_names
     union all select concat_ws(' ', name, short_desc, extra_desc, array_to_string(enumvals, ' '))
       from pg_catalog.pg_settings
     union all select concat_ws(E'\\n', p.proname, p.prosrc, pg_catalog.pg_get_function_arguments(p.oid))
       from pg_catalog.pg_proc p
     union all select relname from pg_catalog.pg_class
     union all select distinct attname from pg_catalog.pg_attribute
     union all select typname from pg_catalog.pg_type
     union all select nspname from pg_catalog.pg_namespace
     union all select datname from pg_catalog.pg_database
     union all select rolname from pg_catalog.pg_roles
     union all select collname from pg_catalog.pg_collation
     union all select description from pg_catalog.pg_description
     union all select feature_name from information_schema.sql_features
     union all select pg_catalog.pg_get_constraintdef(oid) from pg_catalog.pg_constraint where contype = 'c'
     union all select definition from pg_catalog.pg_views
     union all select policyname from pg_catalog.pg_policies`,
  )
  return rows.map(({ word }) => word)
}

/** Settings that functions, views and policies read, by which a session could claim a studio. */
export async function readSettings(transaction: Transaction): Promise<string[]> {
  const rows = await transaction.query<{ setting: string }>(
    `select distinct pg_catalog.lower(m[1]) as setting
     from (
       select p.prosrc from pg_catalog.pg_proc p where p.pronamespace <> 'pg_catalog'::regnamespace
       union all select pg_catalog.pg_get_function_sqlbody(p.oid) from pg_catalog.pg_proc p where p.prosqlbody is not null
       union all select definition from pg_catalog.pg_views where schemaname not in ('pg_catalog', 'information_schema')
       union all select concat_ws(' ', qual, with_check) from pg_catalog.pg_policies
     ) as d (definition),
     pg_catalog.regexp_matches(d.definition, 'current_setting\\s*\\(\\s*''([a-zA-Z_]+\\.[a-zA-Z_]+)''', 'g') as m
     order by 1`,
  )
  return [...new Set([studioSetting, ...rows.map(({ setting }) => setting)])]
}
