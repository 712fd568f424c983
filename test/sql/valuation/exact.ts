import fc from 'fast-check'

// What the property tests of valuation draw from, and days and amounts as the database has them.
// Amounts are cents.

export type Method = 'none' | 'straight_line' | 'declining_balance' | 'double_declining_balance'

export type Day = { year: number; month: number; day: number }

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

/** Cents up to the largest amount: small ones, ordinary ones, and all of them. */
export const cents = fc.oneof(fc.bigInt(0n, 2_000n), fc.bigInt(0n, 5_000_000n), fc.bigInt(0n, 99_999_999_999_999n))

export const method = fc.constantFrom<Method>('straight_line', 'declining_balance', 'double_declining_balance')

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
