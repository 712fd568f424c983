import { randomUUID } from 'node:crypto'
import type { Transaction } from '../../src/database/session.ts'
import type { Hand } from './canary.ts'

/** What a studio of the cast owns, by name. */
export type Inventory = Awaited<ReturnType<typeof addInventory>>

/** Gives a studio one of everything, in a transaction of its writer. */
export async function addInventory(transaction: Transaction, studioId: string, ownerId: string, hand: Hand) {
  const add = createAdders(transaction, studioId)
  const { text, hidden, money, day } = hand

  const [home] = await transaction.query<{ id: string }>('select id from app.locations where is_default')
  if (!home) throw new Error('the studio has no default location')
  const room = await add('locations', {
    external_key: 'ROOM-1',
    name: text('Live room'),
    description: text('Where the drums are'),
    type: 'room',
    parent_id: home.id,
    ...{ address_line1: text('1 High Street'), address_line2: text('Rear building'), city: text('Town') },
    ...{ region: text('Shire'), postal_code: text('AB1'), country_code: 'GB' },
  })
  const rack = await add('locations', { name: text('Rack 1'), type: 'rack', parent_id: room })

  const microphone = await add('items', {
    ...{ external_key: text('MIC-1'), name: text('Large microphone'), manufacturer: text('Maker') },
    ...{ model: text('M 49'), serial_number: text('S-1'), barcode: text('4006381333931') },
    ...{ category: 'Microphones', tags: [text('vintage'), text('tube')], location_id: rack },
    ...{ purchase_price: money(4200.5), acquisition_date: day('2019-05-31'), depreciation_method: 'straight_line' },
    ...{ useful_life_months: 180, residual_value: money(100) },
    ...{ replacement_cost: money(9000), reported_insured_value: money(5000) },
  })
  const console_ = await add('items', {
    ...{ name: text('Console'), category: 'Mixing Consoles & Summing', purchase_price: money(20_000) },
    ...{ manual_value: money(15_000), reported_insured_value: money(16_000), location_id: room },
  })
  const guitar = await add('items', {
    ...{ name: text('Guitar'), category: 'Guitars & Basses', purchase_price: money(2000) },
    ...{ acquisition_date: day('2022-01-15'), depreciation_method: 'double_declining_balance' },
    reported_insured_value: money(300),
  })
  const uninsured = await add('items', {
    name: text('Compressor'),
    category: 'Outboard — Dynamics & EQ',
    purchase_price: money(700),
  })
  const bare = await add('items', { name: text('Box of odds and ends') })
  const unprojected = await add('items', { name: text('Tape machine'), purchase_price: money(650) })
  const archived = await add('items', {
    name: text('Sold amplifier'),
    category: 'Amplifiers & Cabinets',
    purchase_price: money(900),
    archived_at: `${day('2024-02-29')}T12:00:00Z`,
  })
  const items = { microphone, console: console_, guitar, uninsured, bare, unprojected, archived }

  await transaction.query(
    'insert into app.market_values (studio_id, item_id, value, as_of, source) values ($1, $2, $3, $4, $5)',
    [studioId, microphone, money(7500.25), `${day('2026-01-02')}T03:04:05.678Z`, hidden('a market')],
  )
  await add('depreciation_changes', {
    ...{ external_key: hidden('estimate'), item_id: microphone },
    ...{ effective_on: day('2024-06-30'), useful_life_months: 240, residual_value: money(100) },
  })
  const photoKeys = ['front.png', 'back.png'].map((name) => `${text(studioId)}/${name}`.replaceAll(' ', '-'))
  for (const [position, storage_key] of photoKeys.entries()) {
    await add('item_photos', { item_id: microphone, storage_key, position })
  }
  await add('item_photos', { item_id: archived, storage_key: text('sold.png').replaceAll(' ', '-') })

  const active = await add('policies', {
    ...{ external_key: hidden('policy'), name: text('Studio cover'), carrier: text('Carrier') },
    ...{ policy_number: text('P-1'), policy_type: 'studio_property' },
    ...{ overall_limit: money(100_000), deductible: money(250), covered_perils: [text('fire'), text('theft')] },
    ...{ location_constraints: text('Only at home') },
    ...{ effective_start: day('2020-01-01'), effective_end: day('2999-12-31') },
    ...{ owner_user_id: ownerId, source_document_id: randomUUID(), notes: hidden('Renegotiate') },
  })
  const open = await add('policies', { name: text('Open-ended'), effective_start: day('2021-06-01') })
  const expired = await add('policies', {
    ...{ name: text('Expired'), policy_type: 'touring_rider' },
    ...{ effective_start: day('2015-01-01'), effective_end: day('2015-12-31') },
  })
  const future = await add('policies', { name: text('Future'), effective_start: day('2990-01-01') })
  const withdrawn = await add('policies', {
    name: text('Withdrawn'),
    effective_start: day('2020-02-02'),
    archived_at: `${day('2024-03-01')}T12:00:00Z`,
  })
  const odd = await add('policies', { name: text('Odd'), policy_type: hidden('cyber') })
  const policies = { active, open, expired, future, archived: withdrawn, odd }

  const assign = (item_id: string, policy_id: string, more: object) =>
    add('policy_assignments', { item_id, policy_id, notes: hidden('Assigned'), ...more })
  await assign(microphone, active, {
    is_primary: true,
    declared_value: money(5000),
    effective_start: day('2020-01-01'),
  })
  await assign(microphone, expired, { declared_value: money(3000) })
  await assign(microphone, withdrawn, { effective_start: day('2020-02-02'), effective_end: day('2024-02-28') })
  await assign(console_, active, { declared_value: money(16_000), is_primary: true })
  await assign(archived, open, { declared_value: money(900) })

  const due = await add('maintenance_records', {
    ...{ external_key: 'WORK-1', item_id: microphone, title: text('Check the capsule') },
    ...{ maintenance_type: 'inspection', scheduled_date: day('2027-04-01') },
    ...{ vendor: text('Workshop'), description: text('Every other year') },
  })
  const done = await add('maintenance_records', {
    ...{ item_id: console_, title: text('Replace faders'), maintenance_type: 'repair', status: 'completed' },
    ...{ scheduled_date: day('2025-03-01'), completed_date: day('2025-03-09'), cost: money(480.75) },
  })
  const ofArchived = await add('maintenance_records', { item_id: archived, title: text('Retube') })

  // To be deleted by the owner: a writer archives.
  const removed = {
    item: await add('items', {
      name: text('Given away'),
      purchase_price: money(120),
      acquisition_date: day('2018-02-03'),
    }),
    location: await add('locations', { name: text('Shed') }),
    maintenance: await add('maintenance_records', { item_id: console_, title: text('Called off') }),
    policy: await add('policies', { name: text('By mistake') }),
  }

  const locations = { home: home.id, room, rack }
  const maintenance = { due, done, ofArchived }
  return { locations, items, policies, maintenance, removed, photoKeys }
}

/** Inserts rows of a studio into tables of `app`; gives their ids. */
export function createAdders(transaction: Transaction, studioId: string) {
  return async (table: string, columns: object): Promise<string> => {
    const row = { studio_id: studioId, id: randomUUID(), ...columns }
    const places = Object.keys(row).map((_, index) => `$${index + 1}`)
    await transaction.query(
      `insert into app.${table} (${Object.keys(row).join(', ')}) values (${places.join(', ')})`,
      Object.values(row),
    )
    return row.id
  }
}
