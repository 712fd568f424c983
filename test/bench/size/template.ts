import type { Client } from '../../../src/database/client.ts'
import { asOwner } from '../../../src/database/session.ts'
import { fillStudio } from '../../support/bulk.ts'

/** The tables that are copied from the template for each studio, in an order in which nothing points forward. */
export const tables = [
  'locations',
  'items',
  'item_valuations',
  'market_values',
  'item_photos',
  'maintenance_records',
  'policies',
  'policy_assignments',
  'item_counts',
  'maintenance_counts',
] as const

/** Those that grow with the items. */
export const largeTables = [
  ...['items', 'item_valuations', 'market_values', 'item_photos', 'maintenance_records', 'policy_assignments'],
]

/**
 * Makes one studio with triggers on where they derive something: half of its items depreciate. Its rows are then the template of
 * all others, in tables of the schema bench, and the statements that copy them are returned.
 */
export async function makeTemplate(client: Client, adminUrl: string, items: number): Promise<void> {
  const studioId = await asOwner(adminUrl, async (transaction) => {
    const [made] = await transaction.query<{ id: string }>(
      `select access.create_studio('The template', 'template@example.com', 'Olga Owner', 'studio') as id`,
    )
    return String(made?.id)
  })
  await fillStudio((text, values = []) => client.query(text, [...values]), studioId, {
    items,
    photos: { each: 1, oneIn: 20 },
    maintenance: Math.floor(items / 20),
    locations: 20,
    policies: 5,
    assignedOneIn: 20,
  })
  await client.query('begin')
  await client.query(`select set_config('studio.id', $1, true)`, [studioId])
  await client.query('set local session authorization studio_writer')
  await client.query(depreciate, [studioId])
  await client.query('commit')
  // Their moments as before; the document follows in any role.
  await client.query('set session_replication_role = replica')
  await client.query('update app.items set updated_at = created_at where studio_id = $1', [studioId])
  await client.query('create schema if not exists bench')
  for (const table of tables) await client.query(templateOf(await columnsOf(client, table), table), [studioId])
  await client.query('create table bench.loaded (studio_id uuid primary key)')
  await client.query('analyze')
}

const depreciate = `
  update app.items set
    depreciation_method = case when substr(external_key, 5)::integer % 4 = 0 then 'double_declining_balance' else 'straight_line' end,
    useful_life_months = 84, purchase_price = 1200.00
  where studio_id = $1 and substr(external_key, 5)::integer % 2 = 0`

type Column = { name: string; uuid: boolean }

async function columnsOf(client: Client, table: string): Promise<Column[]> {
  const { rows } = await client.query<Column>(
    `select attname as name, atttypid = 'uuid'::regtype as uuid from pg_attribute
     where attrelid = ('app.' || $1)::regclass and attnum > 0 and not attisdropped and attgenerated = ''
       and attname <> 'studio_id' order by attnum`,
    [table],
  )
  return rows
}

/** Of an id the first half is kept as text; the second one is the studio's. The document is cut around the ids in it. */
function templateOf(columns: Column[], table: string): string {
  const kept = columns.map(({ name, uuid }) => {
    if (uuid) return `left(${name}::text, 19) as ${name}`
    if (table === 'items' && name === 'document') {
      return `split_part(substr(document, 44), location_id::text, 1) as document_1,
        split_part(substr(document, 44), location_id::text, 2) as document_2`
    }
    return name
  })
  const live = table === 'locations' ? 'and not is_default' : ''
  return `create unlogged table bench.${table} as select ${kept.join(', ')} from app.${table} where studio_id = $1 ${live} order by ctid`
}

/** One statement a table that gives studios what the template has. */
export async function copyStatements(client: Client): Promise<string[]> {
  const statements: string[] = []
  for (const table of tables) {
    const columns = await columnsOf(client, table)
    const values = columns.map(({ name, uuid }) => {
      if (uuid) return `(t.${name} || s.key)::uuid`
      if (table === 'items' && name === 'document') {
        return `'{"id":"' || t.id || s.key || t.document_1 || t.location_id || s.key || t.document_2`
      }
      return `t.${name}`
    })
    statements.push(
      `insert into app.${table} (studio_id, ${columns.map(({ name }) => name).join(', ')})
       select s.id, ${values.join(', ')}
       from (select id, right(id::text, 17) as key from unnest($1::uuid[]) as id) as s cross join bench.${table} as t`,
    )
  }
  return statements
}
