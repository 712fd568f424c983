/** The closed vocabularies of v1, in the order of the spec. */

/** "category values (exact, byte-for-byte, case-sensitive)". The dash in the third is U+2014. */
export const categories = [
  'Microphones',
  'Preamps & Channel Strips',
  'Outboard \u2014 Dynamics & EQ',
  'Effects & Reverb Units',
  'Mixing Consoles & Summing',
  'Recorders & Tape Machines',
  'Interfaces & Converters',
  'Monitoring & Headphones',
  'Guitars & Basses',
  'Keyboards & Synthesizers',
  'Drums & Percussion',
  'Amplifiers & Cabinets',
  'Computers & Software',
  'Cables, Stands & Accessories',
  'Acoustic Treatment & Furniture',
  'Other / Uncategorised',
] as const

export const depreciationMethods = ['none', 'straight_line', 'declining_balance', 'double_declining_balance'] as const

export const valueSources = [
  'agreed',
  'market',
  'manual',
  'depreciated',
  'purchase_price',
  'replacement_cost',
  'unknown',
] as const

export const coverageStates = ['fully_covered', 'under_covered', 'uninsured', 'value_unknown'] as const

export const maintenanceStatuses = ['scheduled', 'completed'] as const

export const maintenanceTypes = [
  'preventive',
  'repair',
  'calibration',
  'inspection',
  'cleaning',
  'upgrade',
  'other',
] as const

export const locationTypes = ['site', 'room', 'storage', 'rack', 'vehicle', 'offsite', 'other'] as const

export const policyTypes = [
  'studio_property',
  'equipment_floater',
  'touring_rider',
  'vehicle_transit',
  'liability',
  'umbrella',
  'other',
] as const

/** The lists that a record can leave. */
export const removedResources = ['item', 'location', 'maintenance', 'policy'] as const

/** Why a record has left its list. */
export const removalReasons = ['archived', 'deleted', 'expired', 'item_archived', 'not_in_plan', 'not_started'] as const

const contentTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
}

/** Names separated by slashes, not empty and without a leading dot, so none leads up. */
const safeKey = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*\.([a-z]+)$/

/** The content type of a photo's key; null for an unsafe key or another type, such as SVG. */
export function contentTypeOf(key: string): string | null {
  const extension = safeKey.exec(key)?.[1]
  return (extension !== undefined && Object.hasOwn(contentTypes, extension) && contentTypes[extension]) || null
}

const withoutDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' ')
const withThreeDecimals = 'BHD IQD JOD KWD LYD OMR TND'.split(' ')

/** The decimals of an amount in a currency (ISO 4217), as app.minor_units() returns them. */
export function minorUnits(currency: string): number {
  if (withoutDecimals.includes(currency)) return 0
  return withThreeDecimals.includes(currency) ? 3 : 2
}
