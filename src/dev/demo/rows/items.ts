import { dateFrom } from '../calendar.ts'
import type { Random } from '../random.ts'
import type { StudioProfile } from '../studios/profile.ts'
import { type LocationRow, placeFor } from './places.ts'
import { choosePieces, type Piece } from './selection.ts'
import { makeWorth, type Worth } from './worth.ts'

/** A row of app.items, with its market value beside it. */
export type ItemRow = Worth & {
  id: string
  name: string
  manufacturer: string
  model: string
  serial_number: string
  barcode: string
  category: string
  tags: string[]
  location_id: string | null
  archived_at: string | null
}

/** Categories whose pieces carry no serial number. */
const unnumbered = ['Cables, Stands & Accessories', 'Acoustic Treatment & Furniture']

/** A serial number in one of the shapes that makers use. */
function serialNumber(piece: Piece, random: Random): string {
  if (unnumbered.includes(piece.category) || random.chance(0.06)) return ''
  const digits = (count: number) => Array.from({ length: count }, () => random.between(0, 9)).join('')
  const letters = piece.model[0].replace(/[^A-Za-z]/g, '').toUpperCase()
  return random.pick([
    digits(random.between(4, 6)),
    `${letters.slice(0, 2)}${digits(7)}`,
    `${random.pick(['A', 'C', 'E', 'S'])}${digits(2)}-${digits(5)}`,
  ])
}

/** The catalogue's words and, for some, the studio's own. */
function tagsOf(piece: Piece, random: Random): string[] {
  const tags = piece.model[3].split(' ')
  if (random.chance(0.12)) tags.push('hire')
  if (random.chance(0.05)) tags.push('needs-service')
  return random.chance(0.04) ? [] : tags
}

/** All items of a studio, the archived ones included, in the order of their asset labels. */
export function itemRows(
  profile: StudioProfile,
  locations: readonly LocationRow[],
  random: Random,
  now: Date,
): ItemRow[] {
  const { live, archived, maxPrice = Number.POSITIVE_INFINITY } = profile.items
  const pieces = choosePieces(live + archived, maxPrice, random)
  const gone = new Set(random.shuffle(pieces.slice(live / 2)).slice(0, archived))
  return pieces.map((piece, index) => ({
    id: random.uuid(),
    name: `${piece.model[0]} ${piece.model[1]}${piece.copy ? ` #${piece.copy}` : ''}`,
    manufacturer: piece.model[0],
    model: piece.model[1],
    serial_number: serialNumber(piece, random),
    barcode: random.chance(0.06) ? '' : `${profile.label}-${String(1001 + index)}`,
    category: piece.category,
    tags: tagsOf(piece, random),
    location_id: placeFor(profile, locations, piece.category, random),
    archived_at: gone.has(piece) ? `${dateFrom(now, -random.between(5, 700))}T16:30:00Z` : null,
    ...makeWorth(piece.model, profile.poundsRate, random, now),
  }))
}
