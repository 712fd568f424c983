import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { databaseUrl, withClient } from '../../support/server.ts'
import { insert, type Session, type Studio, useSql } from '../support.ts'
import { heartsOf, quicken } from './hearts.ts'

vi.setConfig({ testTimeout: 120_000 })

const sql = useSql()
let studio: Studio
let recorder: Session
let writer: Session
const { setAnnounced, watermark, heartbeats, beat } = heartsOf(sql, () => recorder)

beforeAll(async () => {
  recorder = await sql.connect('studio_recorder')
  writer = await sql.connect('studio_writer')
  await quicken(sql)
})
beforeEach(async () => {
  studio = await sql.studio()
  await sql.owner.rows('delete from app.heartbeats')
  await setAnnounced(Date.now() - 1000)
})
afterEach(() => writer.client.query('rollback')) // of a test that ended in the middle

const addItem = (session: Session, name = 'X') => insert(session, studio.id, 'items', { name })
const stampOf = (id: string) => studio.updatedAt('items', id)

test('there is no watermark before the first heartbeat; then it is the moment that was announced before it', async () => {
  expect(await watermark()).toBeNull()
  const announced = Date.now() - 5000
  await setAnnounced(announced)
  await beat()
  await expect.poll(() => watermark(), { timeout: 60_000 }).toBe(announced)
})

test('it follows the clock, a heartbeat late, and is never later than now', async () => {
  const first = Date.now()
  await beat()
  await beat()
  await expect.poll(() => watermark(), { timeout: 60_000 }).toBeGreaterThanOrEqual(first)
  const [row] = await recorder.rows<{ ahead: boolean }>('select access.watermark() > now() as ahead')
  expect(row?.ahead).toBe(false)
})

/** Ways to keep a write from being seen for a while: opens, writes once, and once more before the end. */
const writers: [how: string, begin: string, between: string, end: string][] = [
  ['a transaction', 'begin', 'select 1', 'commit'],
  ['a repeatable read', 'begin isolation level repeatable read', 'select 1', 'commit'],
  ['a serializable transaction', 'begin isolation level serializable', 'select 1', 'commit'],
  ['a savepoint', 'begin; savepoint one', 'release savepoint one; savepoint two', 'release savepoint two; commit'],
  ['a savepoint rolled back', 'begin', 'savepoint one', 'commit'],
]

describe('a write that is open while hearts beat', () => {
  test.each(writers)(
    'in %s holds the watermark back; its rows are stamped at or after it',
    async (...[, begin, between, end]) => {
      await beat()
      await writer.client.query(begin)
      await writer.rows(`select set_config('studio.id', $1, true)`, [studio.id])
      const early = await addItem(writer)
      await beat()
      await writer.client.query(between)
      await beat()
      const late = await addItem(writer)
      const held = (await watermark()) ?? Number.NaN
      await writer.client.query(end)
      expect(held).toBeLessThanOrEqual(await stampOf(early))
      expect(held).toBeLessThanOrEqual(await stampOf(late))
      await beat()
      const stamp = await stampOf(late)
      await expect.poll(() => beat().then(() => watermark()), { timeout: 60_000 }).toBeGreaterThan(stamp)
    },
  )

  test('in a prepared transaction holds the watermark back', async ({ skip }) => {
    if ((await sql.admin.value('show max_prepared_transactions')) === '0') skip('the server keeps none')
    await beat()
    await writer.begin(studio)
    const item = await addItem(writer)
    await writer.rows(`prepare transaction 'watermark ${studio.id}'`)
    try {
      await beat()
      await beat()
      const held = (await watermark()) ?? Number.NaN
      await writer.rows(`commit prepared 'watermark ${studio.id}'`)
      expect(held).toBeLessThanOrEqual(await stampOf(item))
    } finally {
      await writer.rows(`rollback prepared 'watermark ${studio.id}'`).catch(() => undefined)
    }
  })

  test('in another database of the server holds the watermark back too', async () => {
    await beat()
    await withClient(databaseUrl(sql.database.adminUrl, 'postgres'), async (other) => {
      await other.query('begin')
      await other.query('select pg_current_xact_id()')
      const begun = Date.now()
      for (let n = 0; n < 3; n++) await beat()
      expect(await watermark()).toBeLessThanOrEqual(begun)
      await other.query('commit')
      await expect.poll(() => beat().then(() => watermark()), { timeout: 60_000 }).toBeGreaterThan(begun)
    })
  })

  test('that has only asked for its stamp holds the watermark back from then on', async () => {
    await beat()
    await writer.rows('begin')
    const stamp = Number(await writer.value('select extract(epoch from app.stamp()) * 1000'))
    await beat()
    await beat()
    await beat()
    expect(await watermark()).toBeLessThanOrEqual(stamp)
    await writer.rows('rollback')
  })

  test('of another studio or another table holds it back as well: nobody is to wait for whom', async () => {
    const other = await sql.studio()
    await beat()
    await writer.begin(other)
    await insert(writer, other.id, 'policies', {})
    const begun = Date.now()
    await beat()
    await beat()
    expect(await watermark()).toBeLessThanOrEqual(begun)
    await writer.rows('rollback')
  })
})

describe('when the clock was stepped back', () => {
  const hour = 3_600_000
  const ahead = async () => {
    const moment = Date.now() + hour
    await setAnnounced(moment)
    return moment
  }

  test('changes are stamped at or after what was announced, and ever later', async () => {
    const moment = await ahead()
    const item = await studio.add('items')
    const first = await stampOf(item)
    expect(first).toBeGreaterThanOrEqual(moment)
    await studio.change('items', item, { name: 'Y' })
    expect(await stampOf(item)).toBeGreaterThan(first)
  })

  test.each(['read committed', 'repeatable read', 'serializable'])(
    'a writer whose %s snapshot is older than a heartbeat stamps at or after its moment',
    async (level) => {
      await ahead()
      await writer.rows(`begin isolation level ${level}`)
      await writer.rows(`select set_config('studio.id', $1, true)`, [studio.id])
      await writer.rows('select count(*) from app.items')
      for (let n = 0; n < 5; n++) await beat()
      const item = await addItem(writer)
      const moments = (await heartbeats()).map(({ at }) => Number(at))
      await writer.rows('commit')
      expect(await stampOf(item)).toBeGreaterThanOrEqual(Math.max(...moments))
    },
  )

  test('heartbeats go on announcing later moments, and the watermark is never later than now', async () => {
    const moment = await ahead()
    for (let n = 0; n < 3; n++) await beat()
    const moments = (await heartbeats()).map(({ at }) => Number(at))
    expect(moments.toSorted((a, b) => b - a)).toEqual(moments)
    expect(new Set(moments).size).toBe(moments.length)
    expect(moments[0]).toBeGreaterThan(moment)
    await expect.poll(() => recorder.value('select access.watermark() <= now()'), { timeout: 60_000 }).toBe(true)
  })
})
