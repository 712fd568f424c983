import { isUuid } from '../../domain/text.ts'
import { categories, coverageStates } from '../../domain/vocabulary.ts'
import type { MemberReading } from './member-session.ts'

/** The orders of a list of items. Nulls come last in every order. */
export const orders = {
  name: { label: 'Name', by: 'lower(r.name)' },
  value: { label: 'Highest value', by: 'v.current_estimated_value desc' },
  'value-up': { label: 'Lowest value', by: 'v.current_estimated_value' },
  changed: { label: 'Changed last', by: 'r.updated_at desc' },
  acquired: { label: 'Acquired last', by: 'r.acquisition_date desc' },
} as const

/** What an item can lack, with the condition for it. */
export const lacks = {
  // Items without a known value, and items not yet valued: an index finds both.
  value: { label: 'Value', condition: "(r.coverage_state is null or r.coverage_state = 'value_unknown')" },
  photo: {
    label: 'Photo',
    condition: 'not exists (select from service.item_photos p where p.item_id = r.id)',
  },
  serial: { label: 'Serial number', condition: "r.serial_number = ''" },
} as const

export type Choices = {
  q: string
  category: string
  coverage: string
  /** The id of a location. Includes the locations within it. */
  location: string
  without: keyof typeof lacks | ''
  order: keyof typeof orders
}

/** Reads the choices in an address. Ignores unknown ones. */
export function readChoices(given: URLSearchParams): Choices {
  const text = (name: string) => (given.get(name) ?? '').trim().replaceAll('\0', '')
  const one = <Value extends string>(name: string, values: readonly Value[]): Value | '' =>
    values.find((value) => value === text(name)) ?? ''
  return {
    q: text('q').slice(0, 200),
    category: one('category', categories),
    coverage: one('coverage', coverageStates),
    location: isUuid(text('location')) ? text('location') : '',
    without: one('without', Object.keys(lacks) as (keyof typeof lacks)[]),
    order: one('order', Object.keys(orders) as (keyof typeof orders)[]) || 'name',
  }
}

export type Location = { id: string; name: string; parent: string | null; depth: number }

/** The locations that the plan shows, each below the one that it is part of. */
export function readLocations({ query }: MemberReading): Promise<Location[]> {
  return query<Location>(`
    with recursive within as (
      select l.id, l.name, l.parent_id, 0 as depth, array[lower(l.name), l.id::text] as path from api_v1.locations l
      where not exists (select from api_v1.locations above where above.id = l.parent_id)
      union all
      select l.id, l.name, l.parent_id, w.depth + 1, w.path || array[lower(l.name), l.id::text]
      from within w join api_v1.locations l on l.parent_id = w.id
    )
    select id, name, parent_id as parent, depth from within order by path`)
}

/** A location and all locations within it. */
function within(locations: readonly Location[], id: string): string[] {
  const at = locations.findIndex((location) => location.id === id)
  const depth = locations[at]?.depth ?? 0
  const below = locations.slice(at + 1)
  const end = below.findIndex((location) => location.depth <= depth)
  return at < 0 ? [id] : [id, ...below.slice(0, end < 0 ? undefined : end).map((location) => location.id)]
}

/** The ids of the items chosen, in order, and how many there are. @param size null: all of them */
export async function findItems(
  { queryWhole }: MemberReading,
  choices: Choices,
  locations: readonly Location[],
  { size, skip }: { size: number | null; skip: number },
): Promise<{ total: number; ids: string[] }> {
  const values: unknown[] = [size, skip]
  const $ = (value: unknown) => `$${values.push(value)}`
  const { q, category, coverage, location, without, order } = choices
  const conditions = [
    q !== '' && `r.words is not null and r.words like all ((select api_v1.search_patterns(${$(q)}))::text[])`,
    category !== '' && `r.category = ${$(category)}`,
    coverage !== '' && `r.coverage_state = ${$(coverage)}`,
    location !== '' && `r.location_id = any (${$(within(locations, location))}::uuid[])`,
    without !== '' && lacks[without].condition,
  ].filter((condition) => condition !== false)
  const { by } = orders[order]
  const [key, direction = ''] = by.split(' ')
  const joins = by.includes('v.current')
  // Without conditions an index counts them, and the database stores no rows.
  const counted = conditions.length > 0 ? 'matching' : 'service.item_documents'
  const [found] = await queryWhole<{ total: number; ids: string[] }>(
    `with matching as (
       select r.id, ${key} as key from service.item_documents r
       ${joins ? 'left join service.item_valuations v on v.item_id = r.id' : ''}
       ${conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''}
     )
     select (select count(*) from ${counted})::integer as total,
       array(select m.id::text from matching m order by m.key ${direction} nulls last, m.id limit $1 offset $2) as ids`,
    values,
  )
  return found ?? { total: 0, ids: [] }
}

export type ListedItem = {
  id: string
  /** The studio's own key. */
  key: string | null
  name: string
  manufacturer: string
  model: string
  serialNumber: string
  category: string
  location: string | null
  value: string | null
  declared: string
  coverage: string | null
  /** The id of its first photo. */
  photo: string | null
}

/** What lists show of items, in the order of the ids. */
export const describeItems = ({ query }: MemberReading, ids: readonly string[]): Promise<ListedItem[]> =>
  query<ListedItem>(
    `select i.id, i.external_key as key, i.name, i.manufacturer, i.model, i.serial_number as "serialNumber", i.category, l.name as location,
       i.current_estimated_value as value, i.reported_insured_value as declared, i.coverage_state as coverage,
       (select p.id from service.item_photos p where p.item_id = i.id order by p.position, p.id limit 1) as photo
     from unnest($1::uuid[]) with ordinality as k (id, at)
     join api_v1.items i on i.id = k.id
     left join api_v1.locations l on l.id = i.location_id
     order by k.at`,
    [ids],
  )
