import { asOwner, withStudioWriter } from '../../src/database/session.ts'
import { closeLastMonth } from '../support/cast.ts'
import type { TestDatabase } from '../support/server.ts'

/** Three of four rows contain exactly this word, day and amount, the others something after
 * it. Where only some words are allowed: the first, or the last. */
export type Matter = { word: string; day: string; amount: number; last: boolean }

/** Creates a studio with as many items, locations, policies, assignments and maintenance records.
 * Returns its id. */
export async function fillStudio(database: TestDatabase, name: string, rows: number, matter: Matter): Promise<string> {
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

/** One of them for all rows, so that ids are skewed as well. */
const oneOf = (table: string) => `(select id from app.${table} order by name, id limit 1)`
const either = (first: string, last: string) => `case when last then '${last}' else '${first}' end`
const eachItem = 'made join (select id, row_number() over (order by id) as n from app.items) i using (n)'

/** Tables with their columns, as expressions of word, day and amount; and their source. */
const contents: [table: string, columns: Record<string, string>, source?: string][] = [
  [
    'locations',
    {
      name: 'word',
      description: 'word',
      type: either('rack', 'room'),
      parent_id: '(select id from app.locations where is_default)',
      address_line1: 'word',
      address_line2: 'word',
      city: 'word',
      region: 'word',
      postal_code: 'word',
      country_code: either('DE', 'GB'),
    },
  ],
  [
    'items',
    {
      name: 'word',
      manufacturer: 'word',
      model: 'word',
      serial_number: 'word',
      barcode: 'word',
      tags: 'array[word]',
      category: either('Guitars & Basses', 'Microphones'),
      location_id: oneOf('locations'),
      purchase_price: 'amount',
      acquisition_date: 'day',
      depreciation_method: either('none', 'straight_line'),
      reported_insured_value: 'amount',
    },
  ],
  ['market_values', { item_id: 'id', value: 'amount', as_of: 'day' }, eachItem],
  ['depreciation_changes', { item_id: 'id', residual_value: 'amount', effective_on: 'day' }, eachItem],
  [
    'policies',
    {
      name: 'word',
      carrier: 'word',
      policy_number: 'word',
      policy_type: either('equipment_floater', 'liability'),
      overall_limit: 'amount',
      deductible: 'amount',
      covered_perils: 'array[word]',
      location_constraints: 'word',
      effective_start: 'day',
      effective_end: 'day',
    },
  ],
  [
    'policy_assignments',
    {
      item_id: 'id',
      policy_id: oneOf('policies'),
      declared_value: 'amount',
      effective_start: 'day',
      effective_end: 'day',
    },
    eachItem,
  ],
  [
    'maintenance_records',
    {
      item_id: oneOf('items'),
      title: 'word',
      maintenance_type: either('cleaning', 'repair'),
      status: either('completed', 'scheduled'),
      scheduled_date: 'day',
      completed_date: 'case when not last then day end',
      cost: 'amount',
      vendor: 'word',
      description: 'word',
    },
  ],
]
