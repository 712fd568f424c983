import { closestMatch } from '../../domain/text.ts'
import type { Kind } from '../kinds/kind.ts'
import { normalizedName } from './mapping.ts'
import { knownAs } from './tools.ts'

type Meanings = Readonly<Record<string, string>>

const itemHeaders: Meanings = {
  external_key:
    'asset tag|asset id|asset no|asset number|inventory no|inventory number|item no|item number|id|key|code|ref',
  name: 'item|item name|title|equipment|gear|asset|product|what|description|instrument|device',
  manufacturer: 'make|brand|maker|manufactured by',
  model: 'model no|model name|model number|type no',
  serial_number: 'serial|serial no|serial nr|serial num|s n|sn|ser no',
  barcode: 'bar code|ean|upc|qr|qr code|label no',
  category: 'type|kind|group|class|section',
  tags: 'labels|keywords',
  location: 'room|place|where|stored|stored in|storage|studio|shelf|kept in',
  purchase_price:
    'price|cost|paid|price paid|amount paid|bought for|purchased for|purchase cost|cost price|buy price|unit price',
  acquisition_date:
    'bought|purchased|acquired|date|bought on|purchased on|acquired on|date bought|date purchased|date acquired|purchase date|date of purchase|buy date',
  useful_life_months: 'life months|useful life|months',
  residual_value: 'residual|scrap value|salvage value',
  depreciation_rate: 'rate|depreciation percent',
  disposed_on: 'disposed|sold|sold on|date sold|disposal date|scrapped on',
  disposal_proceeds: 'proceeds|sold for|sale price|sales price',
  manual_value: 'value|current value|estimated value|estimate|worth|value now|valuation',
  replacement_cost: 'replacement|replacement value|replacement price|new price|price new|cost new|new value',
  reported_insured_value: 'insured|insured value|insured for|insurance value|sum insured|insurance',
}

/** People's names for our columns in their spreadsheets: in lower case, without punctuation. */
const headers: Readonly<Record<Kind['name'], Meanings>> = {
  items: itemHeaders,
  locations: {
    name: 'room|location|place|title',
    parent: 'inside|in|part of|within|building|site',
    address_line1: 'address|street',
    postal_code: 'postcode|zip|zip code',
    region: 'state|county',
    country_code: 'country',
  },
  policies: {
    name: 'policy|title|cover',
    carrier: 'insurer|insurance company|company|underwriter',
    policy_number: 'policy no|number|contract no',
    overall_limit: 'limit|sum insured|insured sum|cover limit',
    deductible: 'excess',
    effective_start: 'start|from|valid from|starts|begins',
    effective_end: 'end|to|until|valid until|ends|expires|expiry',
  },
  assignments: {
    item: 'asset|equipment|gear',
    declared_value: 'value|insured value|sum insured|declared',
    effective_start: 'start|from',
    effective_end: 'end|to|until',
  },
  maintenance: {
    item: 'asset|equipment|gear',
    title: 'work|task|what|service|job',
    scheduled_date: 'due|due date|scheduled|next service|planned',
    completed_date: 'done|completed|date done|done on|finished',
    cost: 'price|paid|amount',
    vendor: 'technician|done by|workshop|company|by',
    maintenance_type: 'type|kind',
  },
  'market-values': { item: 'asset|equipment|gear', value: 'price|market value|worth', as_of: 'date|when|found' },
  'depreciation-changes': { item: 'asset|equipment|gear', effective_on: 'date|from|effective from' },
}

/** A header without punctuation, brackets and currency: `Price (EUR)` is `price`. */
const bare = (name: string): string =>
  name
    .toLowerCase()
    .replace(/\(.*?\)|\[.*?\]/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/ (?:eur|usd|gbp|chf|aud|cad|nzd|sek|nok|dkk|jpy)$/, '')

/** A column of a file that probably is one of ours. */
export type Suggestion = {
  theirs: string
  ours: string
  /** Its name differs from ours only in blanks and case. */
  same: boolean
}

/** Guesses columns by their names, by other tools' names, and by spelling. Each of ours once.
 * @param ours the free columns @param tool the probable tool, whose names come first */
export function suggestions(
  kind: Kind,
  names: readonly string[],
  ours: readonly string[],
  tool?: string,
): Suggestion[] {
  const called = Object.entries(headers[kind.name])
  const ways: ((name: string) => string | undefined)[] = [
    (name) => ours.find((own) => own === normalizedName(name)),
    (name) => (tool === undefined ? undefined : knownAs(kind.name, name, tool)),
    (name) => called.find(([, words]) => words.split('|').includes(bare(name)))?.[0],
    (name) => knownAs(kind.name, name),
    (name) => closestMatch(normalizedName(name), ours),
  ]
  const found = new Map<string, Suggestion>()
  const taken = new Set<string>()
  for (const [place, way] of ways.entries()) {
    for (const name of names) {
      const meant = name.trim() === '' || taken.has(name) ? undefined : way(name)
      if (meant === undefined || found.has(meant) || !ours.includes(meant)) continue
      found.set(meant, { theirs: name, ours: meant, same: place === 0 })
      taken.add(name)
    }
  }
  return [...found.values()]
}
