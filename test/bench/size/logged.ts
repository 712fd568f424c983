import type { Client } from '../../../src/database/client.ts'

/**
 * Makes tables, their indexes and long values unlogged while they are loaded, in the catalog: ALTER TABLE would write them once more to
 * make them logged again. For a database that nobody needs after a crash. Sessions must be new ones.
 */
export function setUnlogged(client: Client, tables: readonly string[]): Promise<void> {
  return setPersistence(client, tables, 'u')
}

/** All that they contain must have been written to disk. */
export function setLogged(client: Client, tables: readonly string[]): Promise<void> {
  return setPersistence(client, tables, 'p')
}

async function setPersistence(client: Client, tables: readonly string[], persistence: 'p' | 'u'): Promise<void> {
  await client.query('set allow_system_table_mods = on')
  await client.query(
    `with recursive t as (
       select c.oid, c.reltoastrelid from pg_class c where c.oid in (
         select ('app.' || name)::regclass from unnest($1::text[]) as name
         union all select p.relid from unnest($1::text[]) as name cross join lateral pg_partition_tree(('app.' || name)::regclass) as p)
     ), relations as (
       select oid from t union select reltoastrelid from t where reltoastrelid <> 0
     ), everything as (
       select oid from relations union select i.indexrelid from pg_index i join relations r on i.indrelid = r.oid
     )
     update pg_class set relpersistence = $2::"char" where oid in (select oid from everything)`,
    [tables, persistence],
  )
}
