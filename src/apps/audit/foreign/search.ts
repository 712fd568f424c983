/** Values of other studios, each with the column that it was found in. */
export type Markers = ReadonlyMap<string, string>

/** Which of the values are in a text, as whole words. */
export type Search = (text: string) => string[]

/** No value is shorter; the first so many characters of each are what the search goes by. */
const stem = 6

/**
 * Prepares a search for many values at once. A value counts where it is a word of its own: `P-1` is not in `P-12`.
 *
 * @param values of six characters or more
 */
export function searchFor(values: Iterable<string>): Search {
  const byStem = new Map<string, string[]>()
  for (const value of values) {
    const start = value.slice(0, stem)
    const others = byStem.get(start)
    if (others) others.push(value)
    else byStem.set(start, [value])
  }
  return (text) => {
    const found = new Set<string>()
    const last = byStem.size === 0 ? -1 : text.length - stem
    for (let at = 0; at <= last; at++) {
      if (at > 0 && isWord(text, at - 1) && isWord(text, at)) continue
      for (const value of byStem.get(text.slice(at, at + stem)) ?? []) {
        const end = at + value.length
        const cut = end < text.length && isWord(text, end) && isWord(text, end - 1)
        if (!cut && text.startsWith(value, at)) found.add(value)
      }
    }
    return [...found]
  }
}

function isWord(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return (
    (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code === 95 || code > 127
  )
}

/** An id, a digest, an address: nothing that two people would write by chance. */
export function isOpaque(value: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$|^x?[0-9a-f]{16,}$|^[^@\s]+@[^@\s]+$/.test(value)
}

/**
 * Whether a value is recognised wherever it turns up: long enough, no bare number or date, and nothing in it that rows,
 * arrays and JSON write otherwise.
 */
export function isDistinctive(value: string): boolean {
  if (value.length < stem || value.length > 300 || /["\\\p{Cc}]/u.test(value)) return false
  return isOpaque(value) || value.length >= 10 || !/^[\d\s.,:+-]+$/.test(value)
}
