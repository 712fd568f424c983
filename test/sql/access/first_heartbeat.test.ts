import { beforeAll, beforeEach, expect, test } from 'vitest'
import { insert, parsed, type Session, useSql } from '../support.ts'

const sql = useSql()

const setAnnounced = (moment: number) => sql.owner.rows(`select setval('app.announced_moment', $1)`, [moment])
const moments = () => sql.owner.rows('select from app.heartbeats')

let recorder: Session
beforeAll(async () => {
  recorder = await sql.connect('studio_recorder')
})
beforeEach(async () => {
  await sql.owner.rows('delete from app.heartbeats')
})

test('a database without studios has its first heartbeat', async () => {
  expect(await sql.admin.value('select count(*) from app.studios')).toBe('0')
  await sql.owner.rows('update app.sync_state set history = null')
  await setAnnounced(Date.now() - 2000)
  await recorder.rows('select access.heartbeat()')
  expect(await moments()).toHaveLength(1)
})

test('behind a transaction that is older than the first heartbeat, the watermark is the moment of the first one', async () => {
  const studio = await sql.studio()
  const writer = await sql.connect('studio_writer')
  const announced = Date.now() - 5000
  await setAnnounced(announced)
  await writer.begin(studio)
  const early = await insert(writer, studio.id, 'items', {})
  for (let n = 0; n < 3; n++) {
    await recorder.rows('select access.heartbeat()')
    await setAnnounced(Date.now() - 2000)
  }
  expect(await moments()).toHaveLength(3)
  expect(await recorder.value('select (extract(epoch from access.watermark()) * 1000)::bigint')).toBe(String(announced))

  // A poll leaves these out until the open transaction is over.
  const visible = await studio.add('items')
  const since = new Date(announced - 60_000).toISOString()
  const poll = await studio.ask('list_items', 1, 10, null, null, since)
  expect(poll).toMatchObject({ status: 200, total: '0', version: null })
  expect(poll.watermark).not.toBeNull()
  await writer.rows('commit')
  expect(await studio.updatedAt('items', early)).toBeGreaterThanOrEqual(announced)
  await setAnnounced(Date.now() + 1000)
  await expect
    .poll(
      async () => {
        await recorder.rows('select access.heartbeat()')
        const answer = await studio.ask('list_items', 1, 10, null, null, since)
        return parsed<{ id: string }>(answer).map(({ id }) => id)
      },
      { timeout: 60_000 },
    )
    .toEqual([visible, early])
})

test('a standby that takes over keeps the heartbeats: what was prepared is still open', async () => {
  const [server] = (await sql.owner.value('select access.history()')).split('/')
  await sql.owner.rows(`insert into app.heartbeats (xid, at) values ('3', now() - interval '1 day')`)
  await sql.owner.rows(`update app.sync_state set history = $1, removals_since = '2026-01-01T00:00:00Z'`, [
    `${server}/000000FF`,
  ])
  await setAnnounced(Date.now() - 2000)
  await recorder.rows('select access.heartbeat()')
  expect(await moments()).toHaveLength(2)
  expect(await sql.owner.value('select removals_since > now() from app.sync_state')).toBe(true)
})
