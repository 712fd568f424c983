import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'
import { copiedAtSwitch, quoted, replicated } from './tables.ts'

/**
 * Checks what replication does not: that the rows refer to something in the target.
 *
 * @throws MoveFailed that names the foreign key
 */
export async function requireReferences({ client }: OpenCell, studioId: string): Promise<void> {
  const moved = [...replicated, ...copiedAtSwitch.map(({ table }) => table), 'access.analyst_logins']
  const keys = await rowsOf<{ name: string; child: string; parent: string; pairs: [string, string][] }>(
    client,
    `select k.conname as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
       (select jsonb_agg(jsonb_build_array(c.attname, p.attname)) from unnest(k.conkey, k.confkey) as pair (child, parent)
        join pg_attribute c on c.attrelid = k.conrelid and c.attnum = pair.child
        join pg_attribute p on p.attrelid = k.confrelid and p.attnum = pair.parent) as pairs
     from pg_constraint k
     where k.contype = 'f' and k.conrelid::regclass::text = any ($1) and not (k.confrelid::regclass::text = any ($2))`,
    [moved, [...replicated, 'app.studios']],
  )
  for (const { name, child, parent, pairs } of keys) {
    const studio = child === 'app.studios' ? 'id' : 'studio_id'
    const given = pairs.map(([column]) => `c."${column}" is not null`).join(' and ')
    const same = pairs.map(([column, referred]) => `p."${referred}" = c."${column}"`).join(' and ')
    const { rowCount } = await client.query(
      `select from ${quoted(child)} c where c.${studio} = $1 and ${given}
       and not exists (select from ${quoted(parent)} p where ${same}) limit 1`,
      [studioId],
    )
    if (rowCount !== 0) throw new MoveFailed(`rows of ${child} break the foreign key ${name}; nothing was switched`)
  }
}
