import { asOwner } from '../../src/database/session.ts'
import { withStudioWriter } from '../../src/importer/staging.ts'
import { closeLastMonth, mapAnalyst } from '../support/cast.ts'
import type { Stage } from '../support/cast-database.ts'
import { asAdmin, asRole, type TestDatabase } from '../support/server.ts'
import { findProbes, type Probe } from './probes.ts'

/** Three of four rows contain exactly this word, day and amount, the others something after
 * it. Where only some words are allowed: the first, or the last. */
type Matter = { word: string; day: string; amount: number; last: boolean }

/** Creates a studio with as many items, locations, policies, assignments and maintenance records.
 * Returns its id. */
async function fillStudio(database: TestDatabase, name: string, rows: number, matter: Matter): Promise<string> {
  const id = await asOwner(database.adminUrl, async ({ query }) => {
    const [created] = await query<{ id: string }>(`select access.create_studio($1, $2, 'Olga') as id`, [
      name,
      `${name}@example.com`,
    ])
    if (!created) throw new Error('no studio was created')
    return created.id
  })
  await withStudioWriter(database.urlFor('studio_writer'), id, async ({ query }) => {
    for (const [table, columns, source = 'made'] of contents) {
      await query(
        `with made as (
           select n, $2::text || case when n % 4 > 0 then '' else ' ' || n end as word,
             $3::date + case when n % 4 > 0 then 0 else 2 * n end as day,
             $4::numeric + case when n % 4 > 0 then 0 else n end as amount, $6::boolean as last
           from generate_series(1, $5::int) as n
         )
         insert into app.${table} (studio_id, ${Object.keys(columns).join(', ')})
         select $1::uuid, ${Object.values(columns).join(', ')} from ${source}`,
        [id, matter.word, matter.day, matter.amount, rows, matter.last],
      )
    }
  })
  await closeLastMonth(database, id)
  return id
}

/** A stranger's studio of 400 rows a table, what most of them contain, and a quiet studio of five
 * rows, to which A's analyst is mapped. */
export async function gather({ database, cast }: Stage): Promise<Probe[]> {
  const own = await fillStudio(database, 'Quiet', 5, { word: 'aa', day: '1990-01-01', amount: 1, last: false })
  const crowd = await fillStudio(database, 'Crowd', 400, { word: 'mm', day: '2010-01-01', amount: 5000, last: true })
  await asAdmin(database, (admin) => admin.query('vacuum analyze'))
  await mapAnalyst(database, cast.a.analyst.login, own)
  return asRole(database, 'studio_graphql', (client) => findProbes(client, crowd))
}

/** All rows have the same one, so that ids are skewed as well. */
const oneOf = (table: string) => `(select id from app.${table} order by name, id limit 1)`
const either = (first: string, last: string) => `case when last then '${last}' else '${first}' end`
const eachItem = 'made join (select id, row_number() over (order by id) as n from app.items) i using (n)'

const all = (value: string, ...columns: string[]) => Object.fromEntries(columns.map((column) => [column, value]))
const period = { effective_start: 'day', effective_end: 'day' }

/** Tables with their columns, as expressions of word, day and amount; and their source. */
const contents: [table: string, columns: Record<string, string>, source?: string][] = [
  [
    'locations',
    {
      ...all('word', 'name', 'description', 'address_line1', 'address_line2', 'city', 'region', 'postal_code'),
      ...{ type: either('rack', 'room'), country_code: either('DE', 'GB') },
      parent_id: '(select id from app.locations where is_default)',
    },
  ],
  [
    'items',
    {
      ...all('word', 'name', 'manufacturer', 'model', 'serial_number', 'barcode'),
      ...{ tags: 'array[word]', category: either('Guitars & Basses', 'Microphones'), location_id: oneOf('locations') },
      ...{ purchase_price: 'amount', reported_insured_value: 'amount', acquisition_date: 'day' },
      depreciation_method: either('none', 'straight_line'),
    },
  ],
  ['market_values', { item_id: 'id', value: 'amount', as_of: 'day' }, eachItem],
  ['depreciation_changes', { item_id: 'id', residual_value: 'amount', effective_on: 'day' }, eachItem],
  [
    'policies',
    {
      ...all('word', 'name', 'carrier', 'policy_number', 'location_constraints'),
      ...{ policy_type: either('equipment_floater', 'liability'), covered_perils: 'array[word]' },
      ...{ overall_limit: 'amount', deductible: 'amount', ...period },
    },
  ],
  [
    'policy_assignments',
    { item_id: 'id', policy_id: oneOf('policies'), declared_value: 'amount', ...period },
    eachItem,
  ],
  [
    'maintenance_records',
    {
      ...all('word', 'title', 'vendor', 'description'),
      ...{ item_id: oneOf('items'), cost: 'amount', maintenance_type: either('cleaning', 'repair') },
      ...{ status: either('completed', 'scheduled'), scheduled_date: 'day' },
      completed_date: 'case when not last then day end',
    },
  ],
]
