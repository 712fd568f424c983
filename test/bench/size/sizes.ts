import { withClient } from '../../../src/database/client.ts'
import type { Place } from './server.ts'

/** A table or index, in bytes; of a table all of it, and its own rows. Of partitions the sum. */
export type Size = { table: string; index: string | null; bytes: number; heap: number; rows: number }

/** Sizes as PostgreSQL gives them, of the tables of a studio. */
export async function measureSizes({
  adminUrl,
}: Place): Promise<{ sizes: Size[]; database: number; items: number; studios: number }> {
  return withClient(adminUrl, async (client) => {
    const { rows } = await client.query<Record<keyof Size, string | null>>(
      `with leaves as (
         select c.oid, coalesce(pg_partition_root(c.oid)::oid, c.oid) as root, c.reltuples
         from pg_class c where c.relkind = 'r' and c.relnamespace in ('app'::regnamespace, 'access'::regnamespace)
       ), parts as (
         select l.root, null::oid as index, pg_total_relation_size(l.oid) as bytes, pg_relation_size(l.oid) as heap, l.reltuples from leaves l
         union all
         select l.root, coalesce(pg_partition_root(i.indexrelid)::oid, i.indexrelid), pg_relation_size(i.indexrelid), 0, 0
         from leaves l join pg_index i on i.indrelid = l.oid
       )
       select t.relname as table, x.relname as index, sum(bytes) as bytes, sum(heap) as heap, sum(greatest(p.reltuples, 0)) as rows
       from parts p join pg_class t on t.oid = p.root left join pg_class x on x.oid = p.index
       group by 1, 2 having sum(bytes) > 100000 order by max(sum(bytes)) over (partition by t.relname) desc, x.relname nulls first`,
    )
    const { rows: about } = await client.query(
      `select pg_database_size(current_database()) as bytes, (select count(*) from bench.loaded) as studios,
         (select sum(greatest(reltuples, 0)) from pg_class where relname ~ '^items(_\\d+)?$' and relkind = 'r' and relnamespace = 'app'::regnamespace) as items`,
    )
    return {
      sizes: rows.map(({ table, index, bytes, heap, rows }) => ({
        table: String(table),
        index,
        bytes: Number(bytes),
        heap: Number(heap),
        rows: Number(rows),
      })),
      database: Number(about[0].bytes),
      studios: Number(about[0].studios),
      items: Number(about[0].items),
    }
  })
}
