/** Random choices that follow from a seed. */
export type Random = {
  /** From 0 to below 1. */
  number(): number
  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number
  one<Value>(values: readonly Value[]): Value
  chance(probability: number): boolean
}

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  const number = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const whole = (least: number, most: number) => least + Math.floor(number() * (most - least + 1))
  return {
    number,
    whole,
    one: (values) => {
      const value = values[whole(0, values.length - 1)]
      if (value === undefined) throw new Error('nothing to choose from')
      return value
    },
    chance: (probability) => number() < probability,
  }
}
