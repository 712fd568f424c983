import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { databaseUrl, withClient } from '../../support/server.ts'
import { insert, type Session, type Studio, useSql } from '../support.ts'

vi.setConfig({ testTimeout: 120_000 })

const sql = useSql()
let studio: Studio
let recorder: Session
let writer: Session

beforeAll(async () => {
  recorder = await sql.connect('studio_recorder')
  writer = await sql.connect('studio_writer')
  const asItIs = await sql.admin.value(`select pg_get_functiondef('access.heartbeat'::regproc)`)
  await sql.admin.rows(asItIs.replace('between 0 and 800', 'between 0 and 20'))
})
beforeEach(async () => {
  studio = await sql.studio()
  await sql.owner.rows('delete from app.heartbeats')
  await setAnnounced(Date.now() - 1000)
})
afterEach(() => writer.client.query('rollback')) // a test that ended in the middle has left these

const setAnnounced = (moment: number) => sql.owner.rows(`select setval('app.announced_moment', $1)`, [moment])

/** In milliseconds since 1970; null when there is none. */
async function watermark(): Promise<number | null> {
  const moment = await recorder.value<string | null>('select extract(epoch from access.watermark()) * 1000')
  return moment === null ? null : Number(moment)
}

const heartbeats = () =>
  sql.owner.rows<{ xid: string; at: string }>(
    'select h.xid::text, (extract(epoch from h.at) * 1000)::bigint as at from app.heartbeats h order by h.xid desc',
  )

/** Makes one heartbeat that writes, as soon as the last one is old enough. */
async function beat(): Promise<void> {
  const [before] = await heartbeats()
  await vi.waitFor(
    async () => {
      await recorder.rows('select access.heartbeat()')
      expect((await heartbeats())[0]?.xid).not.toBe(before?.xid)
    },
    { timeout: 60_000, interval: 10 },
  )
}

const addItem = (session: Session, name = 'X') => insert(session, studio.id, 'items', { name })
const stampOf = (id: string) => studio.updatedAt('items', id)

const writers: [how: string, begin: string, between: string, end: string][] = [
  ['a transaction', 'begin', 'select 1', 'commit'],
  ['a serializable transaction', 'begin isolation level serializable', 'select 1', 'commit'],
  ['a savepoint rolled back', 'begin', 'savepoint one', 'commit'],
]

describe('an open write', () => {
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

  test('holds the watermark back as soon as it has its stamp', async () => {
    await beat()
    await writer.rows('begin')
    const stamp = Number(await writer.value('select extract(epoch from app.stamp()) * 1000'))
    for (let n = 0; n < 3; n++) await beat()
    expect(await watermark()).toBeLessThanOrEqual(stamp)
    await writer.rows('rollback')
  })
})

describe('when the clock was set back', () => {
  const hour = 3_600_000
  const ahead = async () => {
    const moment = Date.now() + hour
    await setAnnounced(moment)
    return moment
  }

  test('a writer with a snapshot older than a heartbeat stamps at or after its moment', async () => {
    await ahead()
    await writer.rows('begin isolation level repeatable read')
    await writer.rows(`select set_config('studio.id', $1, true)`, [studio.id])
    await writer.rows('select count(*) from app.items')
    for (let n = 0; n < 5; n++) await beat()
    const item = await addItem(writer)
    const moments = (await heartbeats()).map(({ at }) => Number(at))
    await writer.rows('commit')
    expect(await stampOf(item)).toBeGreaterThanOrEqual(Math.max(...moments))
  })

  test('heartbeats keep announcing later moments, and the watermark is never in the future', async () => {
    const moment = await ahead()
    for (let n = 0; n < 3; n++) await beat()
    const moments = (await heartbeats()).map(({ at }) => Number(at))
    expect(moments.toSorted((a, b) => b - a)).toEqual(moments)
    expect(new Set(moments).size).toBe(moments.length)
    expect(moments[0]).toBeGreaterThan(moment)
    await expect.poll(() => recorder.value('select access.watermark() <= now()'), { timeout: 60_000 }).toBe(true)
  })
})

describe('heartbeats', () => {
  test('write one row when two run at once, and the second does not wait', async () => {
    const second = await sql.connect('studio_recorder')
    await recorder.rows('begin')
    await recorder.rows('select access.heartbeat()')
    await second.rows(`set statement_timeout = '1s'`)
    await second.rows('select access.heartbeat()')
    await recorder.rows('commit')
    expect(await heartbeats()).toHaveLength(1)
  })

  test('are dropped when old, except the one that an open write still needs', async () => {
    await setAnnounced(Date.now() + 60_000)
    await beat()
    await expect.poll(() => watermark(), { timeout: 60_000 }).not.toBeNull()
    const needed = (await heartbeats())[0]?.xid
    await writer.begin(studio)
    await addItem(writer)
    for (let n = 0; n < 5; n++) await beat()
    expect((await heartbeats()).map(({ xid }) => xid)).toContain(needed)
    expect(await watermark()).not.toBeNull()
    await writer.rows('commit')
    await expect
      .poll(() => beat().then(async () => (await heartbeats()).map(({ xid }) => xid)), { timeout: 60_000 })
      .not.toContain(needed)
    expect(await watermark()).not.toBeNull()
  })
})

describe('a restored or promoted database', () => {
  const state = () =>
    sql.owner.row<{ history: string | null; since: string }>(
      'select history, (extract(epoch from removals_since) * 1000)::bigint as since from app.sync_state',
    )
  const setState = (history: string | null) =>
    sql.owner.rows(`update app.sync_state set history = $1, removals_since = '2026-01-01T00:00:00Z'`, [history])

  test('forgets its heartbeats and removals, and moves the version of every studio', async () => {
    const other = await sql.studio()
    await beat()
    await setState('7000000000000000000/00000001')
    await sql.owner.rows(
      `insert into app.heartbeats (xid, at) values ('9000000000000000000', now() - interval '1 day')`,
    )
    const versions = [await studio.dataVersion(), await other.dataVersion()]
    const before = Date.now()
    await setAnnounced(before - 2000)
    await recorder.rows('select access.heartbeat()')
    expect(await heartbeats()).toHaveLength(1)
    const { history, since } = await state()
    expect(history).toBe(await sql.owner.value('select access.history()'))
    expect(Number(since)).toBeGreaterThanOrEqual(before + 10_000)
    expect(Number(since)).toBeLessThan(Date.now() + 11_000)
    expect(await studio.dataVersion()).toBeGreaterThan(versions[0] ?? 0)
    expect(await other.dataVersion()).toBeGreaterThan(versions[1] ?? 0)

    const settled = [await state(), await studio.dataVersion()]
    await beat()
    expect([await state(), await studio.dataVersion()]).toEqual(settled)
  })

  test('without an identity takes one, and keeps its removals', async () => {
    await setState(null)
    await setAnnounced(Date.now() - 2000)
    await recorder.rows('select access.heartbeat()')
    expect(await state()).toEqual({
      history: await sql.owner.value('select access.history()'),
      since: String(Date.parse('2026-01-01T00:00:00Z')),
    })
  })
})
