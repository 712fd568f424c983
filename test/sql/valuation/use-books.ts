import { afterAll, beforeAll } from 'vitest'
import { type Columns, type Session, type Studio, useSql } from '../support.ts'
import type { Convention } from './books.ts'

/** A studio for each test, on 22 November 2026, and an analyst who reads its books. */
export function useBooks() {
  const sql = useSql()
  let studio: Studio
  let analyst: Session
  beforeAll(async () => {
    await sql.stopClock('2026-11-22T12:00:00Z')
    analyst = await sql.connect('studio_graphql')
  })
  afterAll(() => sql.startClock())

  return {
    studio: () => studio,
    analyst: () => analyst,

    owner: () => sql.owner,

    /** A studio with this first month of its financial year, convention and currency. */
    async open(start: number | null = null, convention: Convention = 'full_month', currency = 'EUR') {
      studio = await sql.studio({ currency })
      await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
      await sql.owner.rows('select access.set_financial_year($1, $2)', [studio.id, start])
      await sql.owner.rows('select access.set_first_period($1, $2)', [studio.id, convention])
    },

    item: (columns: Columns) =>
      studio.add('items', { depreciation_method: 'straight_line', residual_value: 0, ...columns }),

    change: (itemId: string, columns: Columns) => studio.add('depreciation_changes', { item_id: itemId, ...columns }),

    worthOn: async (itemId: string, at: string) =>
      analyst.value('select current_estimated_value from api_v1.items_on($1, $2)', [at, itemId]),

    reconciliation: () =>
      analyst.rows(
        `select extract(year from year_start)::integer as year, opening_cost, additions, disposed_cost, closing_cost,
           opening_accumulated, charge, disposed_accumulated, closing_accumulated, opening_value, closing_value, proceeds, gain
         from api_v1.depreciation_years order by 1`,
      ),
  }
}
