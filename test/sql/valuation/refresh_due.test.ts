import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studios: Studio[]

/** Loses 10.00 a month for ten months. */
const falling = {
  purchase_price: 100,
  depreciation_method: 'straight_line',
  acquisition_date: '2025-01-31',
  useful_life_months: 10,
  residual_value: 0,
}

beforeAll(async () => {
  await sql.stopClock('2025-01-31T12:00:00Z')
  studios = [await sql.studio(), await sql.studio(), await sql.studio(), await sql.studio()]
  for (const studio of studios.slice(1)) await studio.add('items', falling)
  await sql.stopClock('2025-02-28T12:00:00Z')
})
afterAll(() => sql.startClock())

const nextAfter = (studioHash: number | null, session = sql.writer) =>
  session.value<number | null>('select valuation.next_due($1)', [studioHash])

async function dueStudios(): Promise<number[]> {
  const hashes: number[] = []
  for (let studioHash = await nextAfter(null); studioHash !== null; studioHash = await nextAfter(studioHash))
    hashes.push(studioHash)
  return hashes
}

const refresh = (studioHash: number, session = sql.writer) =>
  session.row('select valued, moved from valuation.refresh_due($1)', [studioHash])

test('the studios in which an item is due come one after the other, each once', async () => {
  const expected = await sql.admin.rows<{ studio_hash: number }>(
    'select studio_hash from app.studios where id = any ($1) order by 1',
    [studios.slice(1).map(({ id }) => id)],
  )
  expect(await dueStudios()).toEqual(expected.map(({ studio_hash }) => studio_hash))
})

test('what is due in a studio is refreshed there and nowhere else; for a hash of no studio nothing is', async () => {
  const [first = 0, ...others] = await dueStudios()
  expect(await refresh(first)).toEqual({ valued: 1, moved: 1 })
  expect(await refresh(first)).toEqual({ valued: 0, moved: 0 })
  expect(await dueStudios()).toEqual(others)
  for (const studioHash of [-1, 0, 2_147_483_647]) expect(await refresh(studioHash)).toEqual({ valued: 0, moved: 0 })
})

test('going through the studios leaves the session as it was, and holds no transaction id', async () => {
  await sql.writer.begin(studios[0] as Studio)
  await nextAfter(null)
  expect(await sql.writer.value(`select current_setting('studio.id')`)).toBe(studios[0]?.id)
  expect(
    await sql.admin.value(`select count(*) from pg_stat_activity where pid = $1 and backend_xid is not null`, [
      await sql.writer.value('select pg_backend_pid()'),
    ]),
  ).toBe('0')
  await sql.writer.rows('rollback')
})

test('the writer refreshes no studio that it names, and nobody else refreshes at all', async () => {
  const refused = { code: '42501' }
  const named = 'select valuation.refresh_studio($1)'
  await expect(sql.writer.rows(named, [studios[1]?.id])).rejects.toMatchObject(refused)
  for (const session of [sql.api, await sql.connect('studio_recorder')] as Session[]) {
    await expect(nextAfter(null, session)).rejects.toMatchObject(refused)
    await expect(refresh(0, session)).rejects.toMatchObject(refused)
  }
})
