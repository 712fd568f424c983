/**
 * Amounts of money as whole cents, which add up exactly. The API's amounts have at most 14 digits, and so the number that JSON is read
 * into is the nearest one to exactly one amount of two decimals.
 */

/** @param amount a number with at most two decimals and 14 digits, as the API returns it */
export function centsOf(amount: number): bigint {
  return BigInt(amount.toFixed(2).replace('.', ''))
}

/**
 * Cents as a decimal number with two decimals.
 *
 * @example decimalOf(-5n) // '-0.05'
 */
export function decimalOf(cents: bigint): string {
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0')
  return `${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
