/** Refreshes every studio that is due; returns the number of items that moved. $1: rebuild
 * missing projections. */
export const refreshAll = `
  with recursive due (studio_hash) as (
    select valuation.next_due(null, $1)
    union all select valuation.next_due(d.studio_hash, $1) from due d where d.studio_hash is not null)
  select coalesce(sum(r.moved), 0) from due d, lateral valuation.refresh_due(d.studio_hash, $1, 1000000) as r`
