import { afterAll, beforeEach, expect, test } from 'vitest'
import { type Studio, useSql } from '../sql/support.ts'

const sql = useSql()
let studios: Studio[]

beforeEach(async () => {
  await sql.stopClock('2025-01-31T12:00:00Z')
  studios = [await sql.studio(), await sql.studio()]
  for (const studio of studios) {
    await studio.write((s) =>
      s.rows(
        `insert into app.items (studio_id, name, purchase_price, depreciation_method, acquisition_date,
           useful_life_months, residual_value)
         select $1, 'x', 100, 'straight_line', '2025-01-31', 10, 0 from generate_series(1, 1100)`,
        [studio.id],
      ),
    )
  }
  await sql.stopClock('2025-02-28T12:00:00Z')
})
afterAll(() => sql.startClock())

/** As version 1.0 calls it, daily, in a transaction of its own. */
const refresh = () => sql.writer.value('select valuation.refresh($1) as moved', [false])

test('refreshes all that is due in all studios, and says how many items moved', async () => {
  expect(await refresh()).toBe('2200')
  expect(await refresh()).toBe('0')
})

test('waits for nobody who is writing', async () => {
  const [first] = studios as [Studio, Studio]
  const editor = await sql.connect('studio_writer')
  await editor.begin(first)
  await editor.rows(`update app.items set name = 'Y' where id = (select id from app.items limit 1)`)
  await sql.writer.rows(`set lock_timeout = '1s'`)
  expect(await refresh()).toBe('2199')
  await editor.rows('rollback')
  expect(await refresh()).toBe('1')
})
