import { centsOf, decimalOf } from './amounts.ts'

export type GroupBy = 'category' | 'location' | 'coverage_state'

/** An item in its group. `estimated_value` is undefined where it is not asked for, null where it is not known. */
export type SummedItem = {
  id: string
  key: string | null
  purchase_price: number
  reported_insured_value: number
  estimated_value?: number | null
}

type Sums = {
  count: number
  purchase_price: string
  reported_insured_value: string
  estimated_value?: string
  without_estimated_value?: number
}

/** The sums of each group, the largest purchase price first. */
export function groupsOf(items: readonly SummedItem[]): ({ key: string | null } & Sums)[] {
  const groups = [...Map.groupBy(items, ({ key }) => key)]
  return groups
    .map(([key, members]) => ({ key, price: sumOf(members, 'purchase_price'), sums: totalOf(members) }))
    .toSorted(
      (a, b) => Number(b.price > a.price) - Number(b.price < a.price) || (String(a.key) < String(b.key) ? -1 : 1),
    )
    .map(({ key, sums }) => ({ key, ...sums }))
}

/** The sums of all items; of estimated values where they were asked for. */
export function totalOf(items: readonly SummedItem[]): Sums {
  const sums = {
    count: items.length,
    purchase_price: decimalOf(sumOf(items, 'purchase_price')),
    reported_insured_value: decimalOf(sumOf(items, 'reported_insured_value')),
  }
  if (items.every((item) => item.estimated_value === undefined)) return sums
  return {
    ...sums,
    estimated_value: decimalOf(sumOf(items, 'estimated_value')),
    without_estimated_value: items.filter((item) => item.estimated_value === null).length,
  }
}

function sumOf(items: readonly SummedItem[], name: 'purchase_price' | 'reported_insured_value' | 'estimated_value') {
  return items.reduce((sum, item) => sum + centsOf(item[name] ?? 0), 0n)
}
