import fc from 'fast-check'
import { type Day, daysIn, type Method } from './exact.ts'

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
