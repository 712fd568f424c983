import { type Transaction, withStudioWriter } from '../../database/session.ts'
import { insertRows } from './insert.ts'
import { writePhotos } from './photos/files.ts'
import { randomFrom } from './random.ts'
import { itemRows } from './rows/items.ts'
import { maintenanceRows } from './rows/maintenance.ts'
import { photoRows } from './rows/photos.ts'
import { locationRows } from './rows/places.ts'
import { assignmentRows, policyRows } from './rows/policies.ts'
import type { StudioProfile } from './studios/profile.ts'

const placeColumns = {
  name: 'text',
  type: 'text',
  description: 'text',
  address_line1: 'text',
  address_line2: 'text',
  city: 'text',
  region: 'text',
  postal_code: 'text',
  country_code: 'text',
}

const itemColumns = {
  id: 'uuid',
  name: 'text',
  manufacturer: 'text',
  model: 'text',
  serial_number: 'text',
  barcode: 'text',
  category: 'text',
  tags: 'text[]',
  location_id: 'uuid',
  archived_at: 'timestamptz',
  purchase_price: 'numeric',
  acquisition_date: 'date',
  depreciation_method: 'text',
  useful_life_months: 'integer',
  residual_value: 'numeric',
  manual_value: 'numeric',
  replacement_cost: 'numeric',
  reported_insured_value: 'numeric',
}

const policyColumns = {
  id: 'uuid',
  name: 'text',
  carrier: 'text',
  policy_number: 'text',
  policy_type: 'text',
  overall_limit: 'numeric',
  deductible: 'numeric',
  covered_perils: 'text[]',
  location_constraints: 'text',
  effective_start: 'date',
  effective_end: 'date',
  archived_at: 'timestamptz',
}

const assignmentColumns = {
  id: 'uuid',
  policy_id: 'uuid',
  item_id: 'uuid',
  declared_value: 'numeric',
  is_primary: 'boolean',
  effective_start: 'date',
  effective_end: 'date',
}

const maintenanceColumns = {
  id: 'uuid',
  item_id: 'uuid',
  title: 'text',
  maintenance_type: 'text',
  status: 'text',
  scheduled_date: 'date',
  completed_date: 'date',
  cost: 'numeric',
  vendor: 'text',
  description: 'text',
}

/**
 * Gives an empty demo studio its locations, items, policies, maintenance and photos: one transaction of studio_writer
 * under row-level security, one statement a table, so that a studio is either empty or whole.
 */
export async function fillStudio(
  writerUrl: string,
  studioId: string,
  profile: StudioProfile,
  photosDir: string,
  now: Date,
): Promise<void> {
  const random = randomFrom(profile.name)
  await withStudioWriter(writerUrl, studioId, async (transaction) => {
    const locations = locationRows(profile, random, await defaultLocation(transaction))
    const items = itemRows(profile, locations, random, now)
    const policies = policyRows(profile, random, now)
    const photos = photoRows(studioId, items, random)
    const files = writePhotos(photosDir, photos)
    files.catch(() => undefined) // reported below, unless a statement fails first
    const insert = (table: string, columns: Record<string, string>, rows: readonly object[]) =>
      insertRows(transaction, table, columns, studioId, rows)

    await describeDefaultLocation(transaction, locations[0])
    await insert('app.locations', { id: 'uuid', parent_id: 'uuid', ...placeColumns }, locations.slice(1))
    await insert('app.items', itemColumns, items)
    await insert(
      'app.market_values',
      { item_id: 'uuid', value: 'numeric', as_of: 'timestamptz' },
      items.flatMap(({ id, market }) => (market ? [{ item_id: id, value: market.estimate, as_of: market.as_of }] : [])),
    )
    await insert('app.policies', policyColumns, policies)
    await insert('app.policy_assignments', assignmentColumns, assignmentRows(profile, policies, items, random))
    await insert('app.maintenance_records', maintenanceColumns, maintenanceRows(profile, items, random, now))
    await insert('app.item_photos', { id: 'uuid', item_id: 'uuid', storage_key: 'text', position: 'integer' }, photos)
    await files
  })
}

async function defaultLocation(transaction: Transaction): Promise<string> {
  const [row] = await transaction.query<{ id: string }>('select id from app.locations where is_default')
  if (!row) throw new Error('the studio has no default location')
  return row.id
}

async function describeDefaultLocation(transaction: Transaction, location: object | undefined): Promise<void> {
  const names = Object.keys(placeColumns)
  const types = Object.entries(placeColumns).map(([name, type]) => `${name} ${type}`)
  await transaction.query(
    `update app.locations set (${names.join(', ')}) = (
       select ${names.join(', ')} from pg_catalog.json_to_record($1::json) as row (${types.join(', ')})
     ) where is_default`,
    [JSON.stringify(location)],
  )
}
