// Depreciates an item month by month in exact fractions. It works differently from the database,
// which takes whole periods. Amounts are cents.
import { type Day, daysIn, type Method, monthsLater } from './exact.ts'

export type Convention = 'full_month' | 'half_year' | 'mid_month' | 'day'

/** To an even spread of what is left, never below straight line, or not at all. */
export type Switch = 'yes' | 'floor' | 'no'

export type Terms = { method: Method; life: number; residual: bigint; rate: number | null; switches: Switch }

export type Asset = Terms & {
  price: bigint
  acquired: Day
  changes: { on: Day; terms: Partial<Terms> }[]
}

export type Books = { start: number | null; convention: Convention }

const number = ({ year, month, day }: Day) => year * 10_000 + month * 100 + day
const daysBetween = (from: Day, to: Day) =>
  Math.round((Date.UTC(to.year, to.month - 1, to.day) - Date.UTC(from.year, from.month - 1, from.day)) / 86_400_000)

/** The first day of the financial year that contains a day. */
const yearOf = (day: Day, start: number): Day => ({
  year: day.month < start ? day.year - 1 : day.year,
  month: start,
  day: 1,
})

/** A month of an item: charged at its end, so many months of twelve a year. */
type Month = { ends: Day; weight: Fraction }

function* monthsOf({ acquired }: Asset, { start, convention }: Books): Generator<Month> {
  if (start === null && convention === 'full_month') {
    for (let n = 1; ; n += 1) yield { ends: monthsLater(acquired, n), weight: fraction(1) }
  }
  const first = { ...acquired, day: 1 }
  const year = yearOf(acquired, start ?? 1)
  for (let n = 0; ; n += 1) {
    const from = convention === 'half_year' ? monthsLater(year, 6 + n) : monthsLater(first, n)
    const ends = monthsLater(from, 1)
    if (convention === 'day') {
      const [begins, this_year] = [n === 0 ? acquired : from, yearOf(from, start ?? 1)]
      const length = daysBetween(this_year, { ...this_year, year: this_year.year + 1 })
      yield { ends, weight: fraction(12 * daysBetween(begins, ends), length) }
    } else yield { ends, weight: convention === 'mid_month' && n === 0 ? fraction(1, 2) : fraction(1) }
  }
}

function rateOf({ method, life, rate }: Terms): Fraction {
  if (rate !== null) return fraction(Math.round(rate * 1000), 100_000)
  return smaller(fraction(method === 'declining_balance' ? 18 : 24, life), fraction(1))
}

/** What an item is worth in cents at the beginning of a day, by its method. */
export function bookValue(asset: Asset, books: Books, asOf: Day): bigint {
  let terms: Terms = asset
  let value = fraction(asset.price)
  let age = fraction(0)
  const changes = [...asset.changes]
  const begin = () => {
    const floor = smaller(fraction(terms.residual), value)
    const declines = terms.method.endsWith('balance')
    const endless = declines && terms.rate !== null && terms.switches === 'no'
    const planned = fraction(terms.life)
    const ends = endless ? null : less(age, planned) ? planned : plus(age, fraction(1))
    const straight = ends === null ? null : over(minus(value, floor), minus(ends, age))
    return { floor, declines, ends, straight }
  }
  let term = begin()
  /** What a whole month takes off. It spreads it until the end of the life or, with null, of the
   * year. */
  let pace: { monthly: Fraction; until: Fraction | null } | undefined
  let yearEnds: Fraction | undefined
  const firstYear = firstYearOf(asset, books)
  for (const { ends, weight } of monthsOf(asset, books)) {
    while (changes[0] !== undefined && number(changes[0].on) < number(ends)) {
      const change = changes.shift()
      terms = { ...terms, ...change?.terms }
      value = fraction(halfUp(value))
      term = begin()
      pace = undefined
    }
    if (number(ends) > number(asOf)) break
    if (terms.method !== 'none') {
      yearEnds ??= firstYear
      while (!less(age, yearEnds)) {
        yearEnds = plus(yearEnds, fraction(12))
        if (pace?.until === null) pace = undefined
      }
      pace ??= paceOf(terms, term, value, age, yearEnds)
      const months = pace.until === null ? weight : smaller(weight, minus(pace.until, age))
      if (less(fraction(0), months))
        value = minus(value, smaller(times(pace.monthly, months), minus(value, term.floor)))
    }
    age = plus(age, weight)
  }
  return halfUp(value)
}

function paceOf(
  terms: Terms,
  {
    floor,
    declines,
    ends,
    straight,
  }: { floor: Fraction; declines: boolean; ends: Fraction | null; straight: Fraction | null },
  value: Fraction,
  age: Fraction,
  yearEnds: Fraction,
) {
  const left = minus(value, floor)
  const evenly = ends === null ? undefined : { monthly: over(left, minus(ends, age)), until: ends }
  if (!declines && evenly) return evenly
  const length = minus(yearEnds, age)
  const byRate = smaller(over(times(times(value, rateOf(terms)), length), fraction(12)), left)
  const monthly = over(byRate, length)
  if (straight && terms.switches === 'floor')
    return { monthly: less(monthly, straight) ? straight : monthly, until: null }
  if (evenly && (!less(yearEnds, evenly.until) || (terms.switches === 'yes' && !less(evenly.monthly, monthly))))
    return evenly
  return { monthly, until: null }
}

/** How many months the first year has. */
function firstYearOf({ acquired }: Asset, { start, convention }: Books): Fraction {
  if (start === null && convention === 'full_month') return fraction(12)
  if (convention === 'half_year') return fraction(6)
  const year = yearOf(acquired, start ?? 1)
  const next = { ...year, year: year.year + 1 }
  if (convention === 'day') return fraction(12 * daysBetween(acquired, next), daysBetween(year, next))
  const whole = (next.year - acquired.year) * 12 + next.month - acquired.month
  return minus(fraction(whole), convention === 'mid_month' ? fraction(1, 2) : fraction(0))
}

export const dayAfter = ({ year, month, day }: Day): Day =>
  day < daysIn(year, month) ? { year, month, day: day + 1 } : monthsLater({ year, month, day: 1 }, 1)

/** An exact fraction; the denominator is positive. */
type Fraction = { n: bigint; d: bigint }

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

function fraction(n: bigint | number, d: bigint | number = 1n): Fraction {
  const [top, bottom] = [BigInt(n), BigInt(d)]
  const by = gcd(top < 0n ? -top : top, bottom) || 1n
  return { n: top / by, d: bottom / by }
}

const plus = (a: Fraction, b: Fraction) => fraction(a.n * b.d + b.n * a.d, a.d * b.d)
const minus = (a: Fraction, b: Fraction) => fraction(a.n * b.d - b.n * a.d, a.d * b.d)
const times = (a: Fraction, b: Fraction) => fraction(a.n * b.n, a.d * b.d)
const over = (a: Fraction, b: Fraction) => fraction(a.n * b.d, a.d * b.n)
const less = (a: Fraction, b: Fraction) => a.n * b.d < b.n * a.d
const smaller = (a: Fraction, b: Fraction) => (less(b, a) ? b : a)

/** Rounds half up to a whole number. */
const halfUp = ({ n, d }: Fraction): bigint => (2n * n + d) / (2n * d)
