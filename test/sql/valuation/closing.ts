import type { Session } from '../support.ts'

/** Loses 10.00 a month for ten months. */
export const falling = {
  purchase_price: 100,
  depreciation_method: 'straight_line',
  acquisition_date: '2024-12-31',
  useful_life_months: 10,
  residual_value: 0,
}

/** Closes whatever is due, at most so many values at a time; the number of values. */
export async function closeDue(session: Session, atMost = 1000): Promise<number> {
  const next = (studioHash: number | null) =>
    session.value<number | null>('select valuation.next_to_close($1)', [studioHash])
  let values = 0
  for (let studioHash = await next(null); studioHash !== null; studioHash = await next(studioHash)) {
    for (let due = true; due; ) {
      const batch = await session.row<{ due: boolean; closed: number }>(
        'select due, closed from valuation.close_month($1, $2)',
        [studioHash, atMost],
      )
      due = batch.due
      values += batch.closed
    }
  }
  return values
}
