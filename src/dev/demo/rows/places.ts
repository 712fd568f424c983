import type { Random } from '../random.ts'
import type { StudioProfile } from '../studios/profile.ts'

/** A row of app.locations. */
export type LocationRow = {
  id: string
  name: string
  type: string
  description: string | null
  parent_id: string | null
  address_line1: string | null
  address_line2: string | null
  city: string | null
  region: string | null
  postal_code: string | null
  country_code: string | null
}

/**
 * The locations of a studio in the order of its profile. The first is the default location, which exists as soon as the
 * studio does: it takes over that one's id.
 */
export function locationRows(profile: StudioProfile, random: Random, defaultLocationId: string): LocationRow[] {
  const ids = new Map(
    profile.places.map((place, index) => [place.name, index === 0 ? defaultLocationId : random.uuid()]),
  )
  return profile.places.map((place) => ({
    id: ids.get(place.name) as string,
    name: place.name,
    type: place.type,
    description: place.description ?? null,
    parent_id: (place.inside && ids.get(place.inside)) || null,
    address_line1: place.address?.line1 ?? null,
    address_line2: place.address?.line2 ?? null,
    city: place.address?.city ?? null,
    region: place.address?.region ?? null,
    postal_code: place.address?.postalCode ?? null,
    country_code: place.address?.countryCode ?? null,
  }))
}

/** Chooses where an item of a category is kept: null for a few, else a place for such things. */
export function placeFor(
  profile: StudioProfile,
  locations: readonly LocationRow[],
  category: string,
  random: Random,
): string | null {
  if (random.chance(0.05)) return null
  const fitting = locations.filter((_, index) => {
    const categories = profile.places[index]?.categories
    return categories ? categories.includes(category) : index > 0 || profile.places.length === 1
  })
  return random.pick(fitting).id
}
