/** SQL for the value of an item at an age. `firstYear`: months of the first year; by default its
 * own years. */
export function worthAt(
  age: string,
  of: Record<'method' | 'price' | 'life' | 'residual' | 'firstYear', string>,
): string {
  const { method, price, life, residual, firstYear } = of
  return `(select valuation.worth(valuation.depreciate(p.plan, ${age}, ${age}), ${age}, 2) from (select row(
    ${price}, 2, date '2000-01-01', 'item', 1, ${firstYear}, array[row(0, ${method}, ${life}, ${residual},
      valuation.annual_rate(${method}, ${life}, null), null, 'no', null)::valuation.term])::valuation.plan as plan) as p)`
}
