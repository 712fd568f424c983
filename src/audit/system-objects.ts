import type { Transaction } from '../database/session.ts'

/** One of the server's own objects, with its rights. Its id is the same in all databases. */
export type SystemObject = SystemKey & { rows: string[]; privileges: Record<string, string> }

/** Catalogs whose rows describe another object, or a part of it. */
const about: Record<string, { class: string; oid: string; part?: string }> = {
  pg_aggregate: { class: `'pg_proc'::regclass::oid`, oid: 'aggfnoid' },
  pg_attribute: { class: `'pg_class'::regclass::oid`, oid: 'attrelid', part: 'attnum' },
  pg_enum: { class: `'pg_type'::regclass::oid`, oid: 'enumtypid' },
  pg_index: { class: `'pg_class'::regclass::oid`, oid: 'indexrelid' },
  pg_init_privs: { class: 't.classoid', oid: 'objoid', part: 'objsubid' },
  pg_range: { class: `'pg_type'::regclass::oid`, oid: 'rngtypid' },
  pg_rewrite: { class: `'pg_class'::regclass::oid`, oid: 'ev_class' },
  pg_ts_config_map: { class: `'pg_ts_config'::regclass::oid`, oid: 'mapcfg' },
}

const catalogs = [
  ...['pg_am', 'pg_amop', 'pg_amproc', 'pg_attrdef', 'pg_cast', 'pg_class', 'pg_collation', 'pg_constraint'],
  ...['pg_conversion', 'pg_extension', 'pg_language', 'pg_namespace', 'pg_opclass', 'pg_operator', 'pg_opfamily'],
  ...['pg_proc', 'pg_transform', 'pg_ts_config', 'pg_ts_dict', 'pg_ts_parser', 'pg_ts_template', 'pg_type'],
  ...Object.keys(about),
]

/** These columns change without anybody's doing: where a relation is stored, its size, and the
 * version of the collation library. */
const passing = [
  ...['relfilenode', 'relpages', 'reltuples', 'relallvisible', 'relallfrozen', 'relfrozenxid', 'relminmxid'],
  ...['collversion', 'indcheckxmin'],
]

/** Lists the catalogs' columns on this server. Leaves out those that change by themselves, and the
 * rights, which another query reads. */
const columnsText = `
  select c.relname::text as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'pg_catalog'::regnamespace and c.relname = any ($1::text[])
    and a.attname <> all ($2::text[]) and (a.atttypid <> 'aclitem[]'::regtype or c.relname = 'pg_init_privs')
  group by c.relname`

/** A digest of each row of a catalog that describes the server's own objects. */
function rowsOf(catalog: string, columns: readonly string[]): string {
  const { class: of, oid, part } = about[catalog] ?? { class: `'${catalog}'::regclass::oid`, oid: 'oid' }
  return `select ${of}::text as class, t.${oid}::oid::text as oid, ${part ? `t.${part}` : '0'}::integer as part,
      md5(row(${columns.map((column) => `t."${column}"`).join(', ')})::text) as row
    from ${catalog} t where t.${oid}::oid < 16384::oid`
}

/** The identity of one of the server's own objects. */
export type SystemKey = { class: string; oid: string; part: number }

/** Rights of others than the owner, where they differ from PostgreSQL's default. */
export type Rights = SystemKey & { facts: Record<string, string> }

/** The identity as text. */
export function systemKeyOf({ class: catalog, oid, part }: SystemKey): string {
  return `${catalog} ${oid} ${part}`
}

/** Reads the server's own objects. Unqualified names must be pg_catalog's. */
export async function readSystemObjects(transaction: Transaction, rights: readonly Rights[]): Promise<SystemObject[]> {
  const held = new Map(rights.map((row) => [systemKeyOf(row), row.facts]))
  const known = await transaction.query<{ name: string; columns: string[] }>(columnsText, [catalogs, passing])
  const text = known.map(({ name, columns }) => rowsOf(name, columns)).join('\nunion all\n')
  const things = new Map<string, SystemObject>()
  for (const { row, ...key } of await transaction.query<SystemKey & { row: string }>(text)) {
    const thing = things.get(systemKeyOf(key))
    if (thing) thing.rows.push(row)
    else things.set(systemKeyOf(key), { ...key, rows: [row], privileges: held.get(systemKeyOf(key)) ?? {} })
  }
  for (const { rows } of things.values()) rows.sort()
  return [...things.values()]
}

/** The kind and name of objects, for findings. */
export async function nameSystemObjects(transaction: Transaction, keys: readonly SystemKey[]): Promise<string[]> {
  if (keys.length === 0) return []
  const rows = await transaction.query<{ name: string }>(
    `select concat_ws(' ', i.type, replace(coalesce(i.identity, k.oid::text), 'pg_catalog.', '')) as name
     from unnest($1::oid[], $2::oid[], $3::integer[]) with ordinality as k (class, oid, part, position)
     cross join lateral pg_identify_object(k.class, k.oid, k.part) as i
     order by k.position`,
    [keys.map((key) => key.class), keys.map(({ oid }) => oid), keys.map(({ part }) => part)],
  )
  return rows.map(({ name }) => name)
}
