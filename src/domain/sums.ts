/** A row of `api_v1.sums_on`, which says what each number means. Amounts are decimals as text, in
 * the studio's currency. */
export type Sums = {
  grouped_by: Grouping
  /** The group; null for items that have none, and for the total. */
  key: string | null
  items: number
  estimated_value: string
  purchase_price: string
  replacement_cost: string
  book_value: string
  reported_insured_value: string
  under_declared_items: number
  under_declared: string
  not_declared_items: number
  not_declared: string
  /** `under_declared` + `not_declared`. */
  left_to_declare: string
  over_declared_items: number
  over_declared: string
  without_value_items: number
  without_value_declared: string
  /** Null unless it was asked for. */
  declared_under_policies: string | null
  /** Items for which a policy has no amount, and items with several assignments under one policy on
   * the day, whose amounts are added. Null with `declared_under_policies`. */
  without_amount_items: number | null
  repeated_items: number | null
}

type Grouping =
  | 'total'
  | 'category'
  | 'location'
  | 'location_with_sublocations'
  | 'coverage_state'
  | 'value_source'
  | 'policy'
  | 'each_policy'

type Asked = {
  /** `YYYY-MM-DD`; null: today as the lists show it. */
  day: string | null
  by: readonly Grouping[]
  /** Only items that this policy covers on the day. */
  policyId?: string | undefined
  /** Whether to read what policies declare. */
  withCover?: boolean
}

type Query = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>

/** Sums the items of the session's studio, in total and by several groupings in one reading. */
export async function readSums(query: Query, { day, by, policyId, withCover = false }: Asked) {
  const rows = await query<Sums>(
    'select * from api_v1.sums_on(day => $1, by => $2, policy_id => $3, with_cover => $4)',
    [day, ['total', ...by], policyId ?? null, withCover],
  )
  const groups = (grouping: Grouping) => rows.filter(({ grouped_by }) => grouped_by === grouping)
  const [total] = groups('total')
  if (total === undefined) throw new Error('the total of the items is missing')
  return { total, groups }
}
