import { itemList } from '../../api/items.ts'
import type { ListSource } from '../../api/operation.ts'
import { cleanText, isUuid } from '../../domain/text.ts'
import { categories, coverageStates } from '../../domain/vocabulary.ts'
import type { MemberReading } from './member-session.ts'
import { idsOnly, type Paged, readPage } from './paging.ts'

/** The orders of the page. Nulls come last in every order. */
export const orders = {
  name: { label: 'Name', by: 'name_key', direction: 'asc' },
  value: { label: 'Highest value', by: 'current_estimated_value', direction: 'desc nulls last' },
  'value-up': { label: 'Lowest value', by: 'current_estimated_value', direction: 'asc' },
  changed: { label: 'Changed last', by: 'updated_at', direction: 'desc', key: 'timestamptz' },
  acquired: { label: 'Acquired last', by: 'acquisition_date', direction: 'desc nulls last' },
} as const

/** What an item can lack, with the condition for it. */
export const lacks = {
  value: { label: 'Value', condition: 'service.lacks_value(r.coverage_state)' },
  photo: { label: 'Photo', condition: 'not r.has_photo' },
  serial: { label: 'Serial number', condition: "r.serial_number = ''" },
} as const

/** The list of the API, as ids, with the orders and filters that the console adds. */
const list: ListSource = {
  ...itemList,
  view: 'service.searched_items',
  documents: idsOnly,
  orders,
  filters: { ...itemList.filters, ...lacks },
}

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
    q: cleanText(text('q')).slice(0, 200),
    category: one('category', categories),
    coverage: one('coverage', coverageStates),
    location: isUuid(text('location')) ? text('location') : '',
    without: one('without', Object.keys(lacks) as (keyof typeof lacks)[]),
    order: one('order', Object.keys(orders) as (keyof typeof orders)[]) || 'name',
  }
}

export type Location = { id: string; name: string; depth: number }

/** The locations that the plan shows, each below the one that it is part of. */
export const readLocations = ({ query }: MemberReading): Promise<Location[]> =>
  query<Location>('select t.id, t.name, t.depth from service.location_tree t order by t.path')

/** One page that has all rows of a list. */
export const all: Paged = { page: 1, size: 2 ** 31 - 1, skip: 0 }

/** Finds the items that somebody chose: a page of their ids in order, and how many there are. */
export async function findItems(
  reading: MemberReading,
  { q, category, coverage, location, without, order }: Choices,
  paged: Paged,
): Promise<{ total: number; ids: string[] }> {
  const filters = { q, category, coverage_state: coverage, location_id: location }
  const given = Object.entries(filters).filter(([, text]) => text !== '')
  const values = { ...Object.fromEntries(given), include_sublocations: 'true', [without]: 'true', order }
  const { total, documents } = await readPage(reading, list, values, paged)
  return { total, ids: documents.split(',').filter(Boolean) }
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

/** Reads what a list shows of these items, in the order of the ids. */
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
