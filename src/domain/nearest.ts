import { distance } from 'fastest-levenshtein'

/** The value of a list that is most like a text in any case. */
export function nearest(text: string, values: readonly string[]): string | undefined {
  return ranked(text, values)[0]?.value
}

/**
 * The value that was probably meant: one that a few letters make of the text, or the only one that begins with it. Undefined when
 * none is like it.
 */
export function probablyMeant(text: string, values: readonly string[]): string | undefined {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return undefined
  const [first] = ranked(wanted, values)
  if (first !== undefined && first.distance <= Math.max(1, Math.floor(wanted.length / 3))) return first.value
  const beginning = values.filter((value) => wanted.length >= 3 && value.toLowerCase().startsWith(wanted))
  return beginning.length === 1 ? beginning[0] : undefined
}

function ranked(text: string, values: readonly string[]): { value: string; distance: number }[] {
  const wanted = text.toLowerCase()
  return values
    .map((value) => ({ value, distance: distance(wanted, value.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
}
