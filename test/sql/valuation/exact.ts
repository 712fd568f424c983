import fc from 'fast-check'

// The rules of valuation once more, in exact integers, and written differently from the database's.
// The property tests compare both. Amounts are cents.

export type Method = 'none' | 'straight_line' | 'declining_balance' | 'double_declining_balance'

/** The inputs of an item's valuation. Amounts are cents; null is unknown. */
export type Inputs = {
  method: Method
  price: bigint
  /** Whole months since the acquisition; null without a date. */
  months: number | null
  life: number
  /** Months of the first year; 12 when years are those of the asset. */
  firstYear?: number
  residual: bigint
  market: bigint | null
  manual: bigint | null
  replacement: bigint | null
  insured: bigint
}

/** The depreciated value in cents, half-up; null when it is not computable. The first year has
 * `firstYear` months. */
export function depreciated({
  method,
  price,
  months,
  life,
  residual,
  firstYear = 12,
}: Omit<Inputs, 'market' | 'manual' | 'replacement' | 'insured'>) {
  if (method === 'none' || price === 0n || months === null) return null
  const floor = residual < price ? residual : price
  const age = Math.min(Math.max(months, 0), life)
  if (method === 'straight_line') {
    return roundHalfUp(price * BigInt(life) - (price - floor) * BigInt(age), BigInt(life))
  }
  // What a month takes off is share / of; no year takes off more than everything.
  const [lost, lives] = [method === 'declining_balance' ? 3n : 4n, 2n * BigInt(life)]
  const [share, of] = 12n * lost > lives ? [1n, 12n] : [lost, lives]
  // Year by year, as in the books: above the residual value there are left / divisor cents.
  let [left, divisor, began] = [price - floor, 1n, 0]
  for (let length = firstYear; ; length = 12) {
    const last = began + length >= life
    const byRate = (left + floor * divisor) * share * BigInt(length)
    const [charge, chargeDivisor] = last || byRate > left * of ? [left, divisor] : [byRate, divisor * of]
    const before = left * (chargeDivisor / divisor)
    const [passed, months] = [BigInt(age - began), BigInt(last ? life - began : length)]
    if (passed <= months) {
      const [numerator, denominator] = [before * months - charge * passed, chargeDivisor * months]
      return roundHalfUp(numerator + floor * denominator, denominator)
    }
    left = before - charge
    divisor = chargeDivisor
    began += length
  }
}

/** Value, source, coverage state and gap of an item. */
export function valued(item: Inputs) {
  const fallen = depreciated(item)
  const candidates: [source: string, value: bigint | null][] = [
    ['market', item.market],
    ['manual', item.manual],
    ['depreciated', fallen],
    ['purchase_price', item.price > 0n ? item.price : null],
    ['replacement_cost', item.replacement],
  ]
  const [source, value] = candidates.find(([, available]) => available !== null) ?? ['unknown', null]
  return { source, value, coverage: coverage(value, item.insured), gap: value === null ? null : value - item.insured }
}

export function coverage(value: bigint | null, insured: bigint): string {
  if (value === null) return 'value_unknown'
  if (insured === 0n) return 'uninsured'
  return insured < value ? 'under_covered' : 'fully_covered'
}

export type Day = { year: number; month: number; day: number }

/** Counts whole months one by one. The last day of a month stands for a day that it does not
 * have. */
export function wholeMonths(from: Day, to: Day): number {
  const step = before(to, from) ? -1 : 1
  let months = 0
  while (step > 0 ? !before(to, monthsLater(from, months + 1)) : before(to, monthsLater(from, months))) months += step
  return months
}

export function monthsLater({ year, month, day }: Day, months: number): Day {
  const index = year * 12 + (month - 1) + months
  const then = { year: Math.floor(index / 12), month: (index % 12) + 1 }
  return { ...then, day: Math.min(day, daysIn(then.year, then.month)) }
}

export function daysIn(year: number, month: number): number {
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  return month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
}

export function iso({ year, month, day }: Day): string {
  const two = (n: number) => String(n).padStart(2, '0')
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** Cents as PostgreSQL writes them: 12345n is '123.45'. */
export function amount(cents: bigint, decimals?: number): string
export function amount(cents: bigint | null, decimals?: number): string | null
export function amount(cents: bigint | null, decimals = 2): string | null {
  if (cents === null) return null
  const digits = String(cents < 0n ? -cents : cents).padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  return `${cents < 0n ? '-' : ''}${whole}${decimals === 0 ? '' : `.${digits.slice(-decimals)}`}`
}

function before(one: Day, other: Day): boolean {
  const inDays = ({ year, month, day }: Day) => year * 400 + month * 32 + day
  return inDays(one) < inDays(other)
}

function roundHalfUp(numerator: bigint, denominator: bigint): bigint {
  return (2n * numerator + denominator) / (2n * denominator)
}

export const methods = ['straight_line', 'declining_balance', 'double_declining_balance'] as const

/** Cents up to the largest amount: small ones, ordinary ones, and all of them. */
export const cents = fc.oneof(fc.bigInt(0n, 2_000n), fc.bigInt(0n, 5_000_000n), fc.bigInt(0n, 99_999_999_999_999n))

export const method = fc.constantFrom<Method>(...methods)

/** Months of useful life: the ones that categories have, and others. */
export const life = fc.oneof(fc.constantFrom(48, 60, 84, 96, 120, 180, 240), fc.integer({ min: 1, max: 600 }))

/** A day between two years; the ends of months more often than they would come up. */
export const day = (from: number, to: number): fc.Arbitrary<Day> =>
  fc
    .record({
      year: fc.integer({ min: from, max: to }),
      month: fc.integer({ min: 1, max: 12 }),
      day: fc.oneof(fc.integer({ min: 1, max: 31 }), fc.integer({ min: 27, max: 31 })),
    })
    .map(({ year, month, day }) => ({ year, month, day: Math.min(day, daysIn(year, month)) }))
