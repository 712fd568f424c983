import type { Transaction } from '../../database/session.ts'
import { coverOn, itemsOn } from './statements.ts'

/** Sums of items; amounts are decimals as text. An item without a value counts in `items` and `unvalued`, and adds nothing. */
export type Sums = {
  items: number
  unvalued: number
  purchasePrice: string
  value: string
  declared: string
  gap: string
}

export type CategorySums = Sums & { category: string }

/** What was declared under one policy. An item under several counts in each. */
export type PolicySums = {
  name: string
  number: string | null
  carrier: string | null
  archived: boolean
  items: number
  unvalued: number
  value: string
  /** The sum of what is declared for its items; `undeclared` of them have no amount. */
  declared: string
  undeclared: number
}

export type Totals = {
  all: Sums
  categories: CategorySums[]
  policies: PolicySums[]
  /** Items under no policy. */
  uncovered: { items: number; unvalued: number; value: string }
}

const sum = (column: string) => `coalesce(sum(${column}), 0)::numeric(20,2)`

/** The totals of the session's studio on a day, by category and by policy, each summed by PostgreSQL. */
export async function readTotals(transaction: Transaction, day: string, today: string): Promise<Totals> {
  const sums = await transaction.query<Sums & { category: string | null }>(`
    select i.category, count(*)::integer as items,
      (count(*) filter (where i.current_estimated_value is null))::integer as unvalued,
      ${sum('i.purchase_price')} as "purchasePrice", ${sum('i.current_estimated_value')} as value,
      ${sum('i.reported_insured_value')} as declared, ${sum('i.gap_amount')} as gap
    from ${itemsOn(day)} i
    group by grouping sets ((i.category), ())
    order by i.category`)
  const all = sums.find(({ category }) => category === null)
  if (all === undefined) throw new Error('no totals')
  const policies = await transaction.query<PolicySums & { uncovered: boolean }>(`
    with cover as materialized (${coverOn(day, today)})
    select c.policy_id is null as uncovered, c.name, c.policy_number as number, c.carrier, c.archived,
      count(*)::integer as items, (count(*) filter (where i.current_estimated_value is null))::integer as unvalued,
      ${sum('i.current_estimated_value')} as value, ${sum('c.declared_value')} as declared,
      (count(*) filter (where c.declared_value is null))::integer as undeclared
    from ${itemsOn(day)} i
    left join cover c on c.item_id = i.id
    group by c.policy_id, c.name, c.policy_number, c.carrier, c.archived
    order by c.name, c.policy_id`)
  const uncovered = policies.find((policy) => policy.uncovered)
  return {
    all,
    categories: sums.filter((each): each is CategorySums => each.category !== null),
    policies: policies.filter((policy) => !policy.uncovered),
    uncovered: uncovered ?? { items: 0, unvalued: 0, value: '0.00' },
  }
}
