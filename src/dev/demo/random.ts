/** A seeded source of choices: the same seed makes the same studio on every machine. */
export type Random = {
  /** A number in [0, 1). */
  next(): number
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number
  /** True with the given probability. */
  chance(probability: number): boolean
  /** One of the list. */
  pick<T>(list: readonly [T, ...T[]] | readonly T[]): T
  /** A shuffled copy of the list. */
  shuffle<T>(list: readonly T[]): T[]
  /** A UUID of version 4 made from the seed. */
  uuid(): string
}

/** FNV-1a over UTF-16 code units: turns a name into a 32-bit seed. */
function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

/** Starts a source (mulberry32) at the seed that the name gives. */
export function randomFrom(name: string): Random {
  let state = seedOf(name)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (low: number, high: number) => low + Math.floor(next() * (high - low + 1))
  const hex = (digits: number) => Array.from({ length: digits }, () => Math.floor(next() * 16).toString(16)).join('')
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick: <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T,
    shuffle: <T>(list: readonly T[]) => {
      const shuffled = [...list]
      for (let last = shuffled.length - 1; last > 0; last--) {
        const other = between(0, last)
        ;[shuffled[last], shuffled[other]] = [shuffled[other] as T, shuffled[last] as T]
      }
      return shuffled
    },
    uuid: () => `${hex(8)}-${hex(4)}-4${hex(3)}-${'89ab'[between(0, 3)]}${hex(3)}-${hex(12)}`,
  }
}
