import type { Sql } from '../support.ts'

/** An item that loses 10.00 a month for ten months. */
export const falling = {
  purchase_price: 100,
  depreciation_method: 'straight_line',
  acquisition_date: '2024-12-31',
  useful_life_months: 10,
  residual_value: 0,
}

/** Closes every month that is due. Returns the number of closed values. */
export async function closeMonths(sql: Sql): Promise<number> {
  const next = (studioHash: number | null) =>
    sql.writer.value<number | null>('select valuation.next_to_close($1)', [studioHash])
  let values = 0
  for (let studioHash = await next(null); studioHash !== null; studioHash = await next(studioHash)) {
    for (let due = true; due; ) {
      const batch = await sql.writer.row<{ due: boolean; closed: number }>(
        'select due, closed from valuation.close_month($1, 1000)',
        [studioHash],
      )
      due = batch.due
      values += batch.closed
    }
  }
  return values
}
