import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { makeLogger } from '../../src/log.ts'
import { startValuationRefresh } from '../../src/process/jobs.ts'
import { closeMonths, refreshValuations } from '../../src/process/refresh-values.ts'
import { type Studio, useSql } from '../sql/support.ts'

const sql = useSql()
let [sound, broken, last]: Studio[] = []
const lines: Record<string, unknown>[] = []
const log = makeLogger({ level: 'debug', stream: { write: (line) => void lines.push(JSON.parse(line)) } })

const falling = {
  purchase_price: 100,
  depreciation_method: 'straight_line',
  acquisition_date: '2025-01-31',
  useful_life_months: 10,
  residual_value: 0,
}
const items = new Map<string, string>()
const worth = async (studio: Studio | undefined) =>
  (await studio?.valuation(items.get(studio.id) ?? ''))?.current_estimated_value

beforeAll(async () => {
  await sql.stopClock('2025-01-31T12:00:00Z')
  ;[sound, broken, last] = [await sql.studio(), await sql.studio(), await sql.studio()]
  for (const studio of [sound, broken, last]) if (studio) items.set(studio.id, await studio.add('items', falling))
  // A rule of one studio's that no refresh gets past.
  await sql.owner.rows(`create function app.fail() returns trigger language plpgsql as
    $$ begin raise 'no room for %', new.item_id; end $$`)
})
beforeEach(() => {
  lines.length = 0
})
afterAll(() => sql.startClock())

const breakStudio = () =>
  sql.owner.rows(`create trigger fail before insert or update on app.item_valuations for each row
    when (new.studio_id = '${broken?.id}') execute function app.fail()`)
const fix = () => sql.owner.rows('drop trigger fail on app.item_valuations')

test('a studio whose refresh fails leaves the others refreshed, is logged, counted and due again', async () => {
  await sql.stopClock('2025-02-28T12:00:00Z')
  await breakStudio()
  const url = sql.database.urlFor('studio_writer')
  expect(await refreshValuations(url, log)).toEqual({ moved: 2, failed: 1 })
  expect([await worth(sound), await worth(broken), await worth(last)]).toEqual(['90.00', '100.00', '90.00'])
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      studio_hash: await sql.admin.value('select studio_hash from app.studios where id = $1', [broken?.id]),
      reason: expect.stringContaining('no room'),
      msg: 'could not refresh the valuations of a studio',
    }),
  ])
  expect(await refreshValuations(url, log)).toEqual({ moved: 0, failed: 1 })
  await fix()
  expect(await refreshValuations(url, log)).toEqual({ moved: 1, failed: 0 })
  expect(await worth(broken)).toBe('90.00')
})

test('a studio whose month cannot be closed leaves the others closed, is counted and due again', async () => {
  await sql.owner.rows(`update app.studios set closes_since = '2025-02-01'`)
  await sql.owner.rows(`create trigger fail before insert on app.closed_values for each row
    when (new.studio_id = '${broken?.id}') execute function app.fail()`)
  const url = sql.database.urlFor('studio_writer')
  await sql.stopClock('2025-03-01T12:00:00Z')
  expect(await closeMonths(url, log)).toEqual({ values: 2, failed: 1 })
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', reason: expect.any(String), msg: 'could not close a month of a studio' }),
  ])
  expect(await closeMonths(url, log)).toEqual({ values: 0, failed: 1 })
  await sql.owner.rows('drop trigger fail on app.closed_values')
  expect(await closeMonths(url, log)).toEqual({ values: 1, failed: 0 })
  await sql.owner.rows(`update app.studios set closes_since = '9999-01-01'`)
})

test('the service counts each failure and continues', async () => {
  await sql.stopClock('2025-03-31T12:00:00Z')
  await breakStudio()
  const refresh = startValuationRefresh(sql.database.urlFor('studio_writer'), log)
  await vi.waitFor(() => expect(refresh.failures()).toBe(1), { timeout: 10_000 })
  await refresh.stop()
  await fix()
  expect([await worth(sound), await worth(broken), await worth(last)]).toEqual(['80.00', '90.00', '80.00'])
  expect(lines).toContainEqual(expect.objectContaining({ moved: 2, msg: 'refreshed valuations' }))
})
