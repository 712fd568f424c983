/** Somebody at a studio. */
export type Person = { email: string; name: string }

/** A studio's plan relative to the day of seeding; days are counted from now, negative is the past. */
export type PlanProfile = {
  plan: 'pro' | 'pro_insure' | 'studio'
  status: 'active' | 'trialing' | 'past_due' | 'canceled'
  trialEndsInDays?: number
  periodStartsInDays: number
  periodEndsInDays: number
}

/** A place where things are kept. The first place of a studio is its site, the default location. */
export type PlaceProfile = {
  name: string
  type: 'site' | 'room' | 'storage' | 'rack' | 'vehicle' | 'offsite' | 'other'
  description?: string
  /** Name of the place it is in. */
  inside?: string
  address?: { line1: string; line2?: string; city: string; region?: string; postalCode: string; countryCode: string }
  /** Categories kept there; none means anything. */
  categories?: readonly string[]
}

/** An insurance policy relative to the day of seeding; days are counted from today, negative is the past. */
export type PolicyProfile = {
  name: string
  /** The type as it was entered: usually a word of the vocabulary. */
  type: string
  carrier?: string
  number?: string
  overallLimit?: number
  deductible?: number
  perils?: readonly string[]
  locationConstraints?: string
  startsInDays?: number
  endsInDays?: number
  archived?: boolean
  /** Which items it covers: categories (none means all) and the share of their items. */
  covers: { categories?: readonly string[]; share: number; primary: boolean }
}

/** All that makes one demo studio; its items, maintenance and photos are generated from it. */
export type StudioProfile = {
  name: string
  timezone: string
  currency: string
  /** What a pound sterling is in the studio's currency, for catalogue prices. */
  poundsRate: number
  owner: Person
  team: readonly (Person & { role: 'admin' | 'member' })[]
  plan: PlanProfile
  /** Items that are in use, and those that were archived. */
  items: { live: number; archived: number; maxPrice?: number }
  maintenanceRecords: number
  /** Two capital letters that start its asset labels. */
  label: string
  places: readonly [PlaceProfile, ...PlaceProfile[]]
  policies: readonly PolicyProfile[]
  /** Where it has its gear looked after. */
  workshops: readonly string[]
}
