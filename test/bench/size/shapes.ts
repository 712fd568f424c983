import type { Sampled } from './sample.ts'

/** A request: the function of the API that answers it, its arguments in SQL, and the index that its list should be read by. */
export type Shape = { what: string; call(studio: Sampled): string; index: string }

const list = (what: string, index: string, ...given: string[]): Shape => ({
  what,
  index,
  call: ({ digest }) => `api_v1.list_items('\\x${digest.toString('hex')}', ${given.join(', ')})`,
})

const rest = 'null, null, null, null, null'

export const shapes: Shape[] = [
  list('list, first page', 'items_by_update', '1, 50, null, null, null'),
  list('by category', 'items_by_category', `1, 50, 'Microphones', null, null`),
  list('by coverage state', 'items_by_coverage', `1, 50, null, 'under_covered', null`),
  list('by both', 'items_by_category_and_coverage', `1, 50, 'Microphones', 'under_covered', null`),
  list('page 40', 'items_by_update', '40, 50, null, null, null'),
  list('a poll with nothing new', 'items_by_update', `1, 50, null, null, '2036-01-01'`),
  list('by barcode', 'items_by_barcode', `1, 50, null, null, null, ${rest}, '000000000077'`),
  list('by serial number', 'items_by_serial_number', `1, 50, null, null, null, ${rest}, null, 'SN-77'`),
  {
    what: 'an item',
    index: 'items_pkey',
    call: ({ digest, item }) => `api_v1.get_item('\\x${digest.toString('hex')}', '${item}')`,
  },
]
