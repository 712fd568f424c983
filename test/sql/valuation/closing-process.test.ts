import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'
import { closeMonths, falling } from './closing.ts'

const sql = useSql()
let studio: Studio
let analyst: Session

beforeEach(async () => {
  await sql.stopClock('2025-01-10T12:00:00Z')
  await sql.owner.rows(`update app.studios set closes_since = '9999-01-01'`)
  studio = await sql.studio()
  await sql.owner.rows(`update app.studios set closes_since = '2025-01-10' where id = $1`, [studio.id])
  analyst = await sql.connect('studio_graphql')
  await analyst.rows(`select set_config('studio.id', $1, false)`, [studio.id])
})
afterAll(() => sql.startClock())

test('a large studio closes in batches, and its month appears after the last batch', async () => {
  for (let n = 0; n < 5; n++) await studio.add('items', falling)
  await sql.stopClock('2025-02-01T12:00:00Z')
  const studioHash = await sql.writer.value('select valuation.next_to_close()')
  const batch = () => sql.writer.row('select due, closed from valuation.close_month($1, 2)', [studioHash])
  const shown = () => analyst.value<number>('select count(*)::integer from api_v1.closed_values')
  expect(await batch()).toEqual({ due: true, closed: 2 })
  await batch()
  expect(await shown()).toBe(0)
  expect(await batch()).toEqual({ due: true, closed: 1 })
  expect(await shown()).toBe(5)
  expect(await batch()).toEqual({ due: false, closed: 0 })
})

test('a second process skips the studio that the first is closing', async () => {
  const other = await sql.studio()
  await sql.owner.rows(`update app.studios set closes_since = '2025-01-01' where id = $1`, [other.id])
  for (const one of [studio, other]) await one.add('items', falling)
  await sql.stopClock('2025-02-01T12:00:00Z')
  const first = await sql.connect('studio_writer')
  await first.rows('begin')
  expect(await first.row('select due, closed from valuation.close_month(valuation.next_to_close())')).toEqual({
    due: true,
    closed: 1,
  })
  expect(await closeMonths(sql)).toBe(1)
  await first.rows('commit')
  expect(await closeMonths(sql)).toBe(0)
})

test('the closing login learns nothing about studios', async () => {
  await studio.add('items', falling)
  await sql.stopClock('2025-02-01T12:00:00Z')
  await sql.writer.rows('begin')
  const answers = await sql.writer.rows(
    `select studio_hash, valuation.close_month(studio_hash) from valuation.next_to_close() as studio_hash`,
  )
  expect(JSON.stringify(answers)).not.toContain(studio.id)
  expect(await sql.writer.value(`select current_setting('studio.id', true)`)).toBe('')
  await sql.writer.rows('commit')
  for (const text of [
    'select valuation.month_to_close()',
    'select from app.closings',
    'select from app.closed_values',
  ]) {
    await expect(sql.writer.rows(text), text).rejects.toMatchObject({ code: '42501' })
  }
})

describe('what is closed', () => {
  const tables = ['app.closings', 'app.closed_values', 'app.market_value_history']
  beforeEach(async () => {
    const item = await studio.add('items', falling)
    await studio.market(item, '55.00', '2025-01-05T00:00:00Z')
    await sql.stopClock('2025-02-01T12:00:00Z')
    await closeMonths(sql)
  })
  const all = (table: string) => sql.admin.rows(`select * from ${table} where studio_id = $1`, [studio.id])

  test.each(
    tables.flatMap((table) => [
      [`update ${table} set studio_id = studio_id`],
      [`delete from ${table}`],
      [`truncate ${table}`],
    ]),
  )('is refused to everybody: %s', async (text) => {
    const before = await Array.fromAsync(tables, all)
    expect(before.every((rows) => rows.length > 0)).toBe(true)
    for (const session of [sql.admin, sql.owner, sql.writer, sql.api, analyst]) {
      await expect(inStudio(session, studio, (s) => s.rows(text))).rejects.toMatchObject({
        code: expect.stringMatching(/^(42501|25006)$/),
      })
      await session.rows(`select set_config('studio.id', $1, false)`, [session === analyst ? studio.id : ''])
    }
    expect(await Array.fromAsync(tables, all)).toEqual(before)
  })
})
