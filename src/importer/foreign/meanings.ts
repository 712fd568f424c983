import { closestMatch } from '../../domain/text.ts'
import type { Kind } from '../kinds/kind.ts'
import { normalizedName } from './mapping.ts'
import { knownAs } from './tools.ts'

type Meanings = Readonly<Record<string, string>>

const itemHeaders: Meanings = {
  external_key:
    'asset tag|asset id|asset no|asset number|asset identification number|inventory no|inventory number|item no|item number|id|key|code|ref|inventarnummer|inventar nr',
  name: 'item|item name|title|equipment|gear|asset|product|what|part name|part full name|description|instrument|device|bezeichnung|gerät',
  manufacturer: 'make|brand|maker|manufactured by|hersteller|marke',
  model: 'model no|model name|model number|asset model|assetmodel|product model number|type no|modell',
  serial_number: 'serial|serial number|serial no|serial nr|serial num|s n|sn|ser no|seriennummer|serien nr',
  barcode: 'bar code|ean|upc|qr|qr code|label no',
  category: 'type|kind|group|class|section|kategorie',
  tags: 'labels|keywords',
  location:
    'room|place|where|where kept|kept|location name|stored|stored in|storage|studio|shelf|kept in|raum|standort',
  purchase_price:
    'price|cost|paid|price paid|amount paid|bought for|purchased for|purchase cost|cost price|buy price|unit price|unit cost|kaufpreis|anschaffungspreis|preis',
  acquisition_date:
    'bought|purchased|acquired|date|bought on|purchased on|acquired on|date bought|date purchased|date acquired|purchase date|date of purchase|buy date|kaufdatum|anschaffungsdatum|gekauft am',
  useful_life_months: 'life months|useful life|useful life in months|months',
  residual_value: 'residual|scrap value|salvage value',
  depreciation_rate: 'rate|depreciation percent',
  disposed_on: 'disposed|sold|sold on|date sold|disposal date|scrapped on',
  disposal_proceeds: 'proceeds|sold for|sale price|sales price',
  manual_value:
    'value|current value|estimated value|estimate|worth|worth now|worth today|value now|value today|est value|market value|valuation|wert|zeitwert',
  replacement_cost:
    'replacement|replacement value|replacement price|new price|price new|cost new|new value|neupreis|neuwert|wiederbeschaffungswert',
  reported_insured_value:
    'insured|insured value|insured for|insurance value|sum insured|insurance|versicherungswert|versichert für',
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
    .replace(/^cf:|, ?type: ?\w+$/g, '')
    .replace(/\(.*?\)|\[.*?\]/g, ' ')
    .replaceAll('#', ' no ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
    .replace(/ (?:eur|usd|gbp|chf|aud|cad|nzd|sek|nok|dkk|jpy)$/, '')

/** Names of columns for which no kind has a place. */
const nowhere =
  /^(?:notes?|comments?|remarks?|bought from|purchased? from|supplier|vendor|seller|dealer|shop|warranty.*|condition|order (?:no|number)|invoice.*|assigned to|custodian|owner|url|link|image|photo|picture|bemerkung(?:en)?|notizen)$/

/** Whether a column of this name has no place among the records of any kind. */
export const hasNoPlace = (name: string): boolean => nowhere.test(bare(name))

/** Whether a column, by its name, has sums. No single piece has such an amount. */
export const isSum = (name: string) => /\b(?:sub)?totals?\b|^gesamt/i.test(name)

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
      const meant =
        name.trim() === '' || taken.has(name) || (place > 0 && (isSum(name) || hasNoPlace(name)))
          ? undefined
          : way(name)
      if (meant === undefined || found.has(meant) || !ours.includes(meant)) continue
      found.set(meant, { theirs: name, ours: meant, same: place === 0 })
      taken.add(name)
    }
  }
  return [...found.values()]
}
