/** An exact fraction; the denominator is positive. */
export type Fraction = { n: bigint; d: bigint }

const gcd = (a: bigint, b: bigint): bigint => (b === 0n ? a : gcd(b, a % b))

export function fraction(n: bigint | number, d: bigint | number = 1n): Fraction {
  const [top, bottom] = [BigInt(n), BigInt(d)]
  const by = gcd(top < 0n ? -top : top, bottom) || 1n
  return { n: top / by, d: bottom / by }
}

export const plus = (a: Fraction, b: Fraction) => fraction(a.n * b.d + b.n * a.d, a.d * b.d)
export const minus = (a: Fraction, b: Fraction) => fraction(a.n * b.d - b.n * a.d, a.d * b.d)
export const times = (a: Fraction, b: Fraction) => fraction(a.n * b.n, a.d * b.d)
export const over = (a: Fraction, b: Fraction) => fraction(a.n * b.d, a.d * b.n)
export const less = (a: Fraction, b: Fraction) => a.n * b.d < b.n * a.d
export const smaller = (a: Fraction, b: Fraction) => (less(b, a) ? b : a)

/** To a whole number, half up. */
export const halfUp = ({ n, d }: Fraction): bigint => (2n * n + d) / (2n * d)
