import { utc } from '../database/client.ts'
import { inSessionStudio, type Kind } from '../importer/kinds/kind.ts'

/** The key of a row, for itself and for references: its external key if an import can read it,
 * else its id.
 * @param row the alias of a table with `external_key` and `id` */
const externalKeyOf = (row: string): string => `
  case when octet_length(${row}.external_key) between 1 and 200 and ${row}.external_key !~ '[[:cntrl:]]'
    and ${row}.external_key !~ '^\\s|\\s$' and ${row}.external_key !~* '^\\d([.,]\\d+)?E[+]\\d+$'
    then ${row}.external_key else ${row}.id::text end`

/** Joins several texts in one cell. The importer's `list` reads them back. */
const listed = (column: string): string => `
  (select string_agg(regexp_replace(part, '([\\\\|;])', '\\\\\\1', 'g'), '|' order by place)
   from unnest(${column}) with ordinality as parts (part, place))`

const yesNo = (condition: string): string => `case when ${condition} then 'yes' else 'no' end`

/** Where the rows of a kind come from. `columns` has SQL over the row `t` for columns that the table
 * does not have under their name. */
type Source = { from: string; columns: Readonly<Record<string, string>>; order: string }

/** Where the rows of each kind come from. Amounts and days are written as PostgreSQL writes them. */
const sources: Readonly<Record<Kind['name'], Source>> = {
  locations: {
    from: `app.locations t left join app.locations parent on parent.studio_id = t.studio_id and parent.id = t.parent_id`,
    columns: { parent: externalKeyOf('parent'), is_default: yesNo('t.is_default') },
    order: 't.created_at, t.id',
  },
  items: {
    from: `app.items t left join app.locations place on place.studio_id = t.studio_id and place.id = t.location_id`,
    columns: {
      tags: listed('t.tags'),
      location: externalKeyOf('place'),
      archived: yesNo('t.archived_at is not null'),
    },
    order: 't.created_at, t.id',
  },
  policies: {
    from: 'app.policies t',
    columns: { covered_perils: listed('t.covered_perils'), archived: yesNo('t.archived_at is not null') },
    order: 't.created_at, t.id',
  },
  assignments: {
    from: `app.policy_assignments t join app.items item on item.studio_id = t.studio_id and item.id = t.item_id
      join app.policies policy on policy.studio_id = t.studio_id and policy.id = t.policy_id`,
    columns: { item: externalKeyOf('item'), policy: externalKeyOf('policy'), is_primary: yesNo('t.is_primary') },
    order: 't.created_at, t.id',
  },
  maintenance: {
    from: 'app.maintenance_records t join app.items item on item.studio_id = t.studio_id and item.id = t.item_id',
    columns: { item: externalKeyOf('item') },
    order: 't.created_at, t.id',
  },
  'market-values': {
    from: 'app.market_values t join app.items item on item.studio_id = t.studio_id and item.id = t.item_id',
    columns: { item: externalKeyOf('item'), as_of: utc('t.as_of') },
    order: 't.item_id',
  },
  'depreciation-changes': {
    from: 'app.depreciation_changes t join app.items item on item.studio_id = t.studio_id and item.id = t.item_id',
    columns: { item: externalKeyOf('item') },
    order: 't.item_id, t.effective_on',
  },
}

/** Selects the rows of one kind as arrays of texts in column order. Null is an empty cell. */
export function selectOf({ name, columns }: Pick<Kind, 'name' | 'columns'>): string {
  const { from, columns: written, order } = sources[name]
  const cells = columns.map((column) =>
    column.name === 'external_key' ? externalKeyOf('t') : (written[column.name] ?? `t.${column.name}::text`),
  )
  return `select array[${cells.join(', ')}]::text[] as cells from ${from} where t.${inSessionStudio} order by ${order}`
}

/** Selects the photos of the session's studio: item's key, place from 1, storage key. */
export const selectPhotos = `
  select ${externalKeyOf('item')} as key, t.storage_key,
    row_number() over (partition by t.item_id order by t.position, t.id)::int as place
  from app.item_photos t join app.items item on item.studio_id = t.studio_id and item.id = t.item_id
  where t.${inSessionStudio} order by item.created_at, item.id, place`
