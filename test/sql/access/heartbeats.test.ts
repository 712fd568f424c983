import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { insert, type Session, type Studio, useSql } from '../support.ts'
import { heartsOf, quicken } from './hearts.ts'

vi.setConfig({ testTimeout: 120_000 })

const sql = useSql()
let studio: Studio
let recorder: Session
let writer: Session
/** The definition of access.heartbeat(). */
let asItIs: string
const { setAnnounced, watermark, heartbeats, beat } = heartsOf(sql, () => recorder)

beforeAll(async () => {
  recorder = await sql.connect('studio_recorder')
  writer = await sql.connect('studio_writer')
  asItIs = await quicken(sql)
})
beforeEach(async () => {
  studio = await sql.studio()
  await sql.owner.rows('delete from app.heartbeats')
  await setAnnounced(Date.now() - 1000)
})
afterEach(() => writer.client.query('rollback')) // of a test that ended in the middle

const addItem = (session: Session, name = 'X') => insert(session, studio.id, 'items', { name })

describe('heartbeats', () => {
  test('two at once write one row, and the second does not wait', async () => {
    const second = await sql.connect('studio_recorder')
    await recorder.rows('begin')
    await recorder.rows('select access.heartbeat()')
    await second.rows(`set statement_timeout = '1s'`)
    await second.rows('select access.heartbeat()')
    await recorder.rows('commit')
    expect(await heartbeats()).toHaveLength(1)
  })

  test('of ten processes in one second write one row', async () => {
    await sql.admin.rows(asItIs)
    for (let n = 0; n < 10; n++) await recorder.rows('select access.heartbeat()')
    expect(await heartbeats()).toHaveLength(1)
  })

  test('that are old are dropped, but never the one that an open write still needs', async () => {
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

describe('a database that continues another history', () => {
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

  test('that has none yet takes its own and knows the removals that it knew', async () => {
    await setState(null)
    await setAnnounced(Date.now() - 2000)
    await recorder.rows('select access.heartbeat()')
    expect(await state()).toEqual({
      history: await sql.owner.value('select access.history()'),
      since: String(Date.parse('2026-01-01T00:00:00Z')),
    })
  })
})
