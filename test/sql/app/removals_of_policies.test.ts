import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeEach(async () => {
  await sql.startClock()
  studio = await sql.studio()
})
afterEach(() => sql.startClock())

type Removal = { id: string; reason: string; removed_at: string }
const removals = async () => parsed<Removal>(await studio.ask('list_removals', 1, 100, null))
const listed = async () => parsed<{ id: string }>(await studio.ask('list_policies', 1, 100, null)).map(({ id }) => id)
const dayFromNow = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

/** Every policy is in its list or has left it, never both, never neither. */
async function expectAgreement(...ids: string[]): Promise<void> {
  const away = (await removals()).map(({ id }) => id)
  expect([...(await listed()), ...away].toSorted()).toEqual(ids.toSorted())
}

describe('while the clock, stepped back, is behind what was announced', () => {
  let announced: string
  const ahead = Date.now() + 3_600_000
  beforeEach(async () => {
    announced = await sql.owner.value('select last_value from app.announced_moment')
    await sql.owner.rows(`select setval('app.announced_moment', $1)`, [ahead])
  })
  afterEach(async () => {
    await sql.owner.rows('delete from app.heartbeats')
    await sql.owner.rows(`select setval('app.announced_moment', $1)`, [announced])
  })

  test('a policy that is ended in the past is away at once, and polls wait for its moment', async () => {
    const id = await studio.add('policies', { effective_start: '2020-01-01' })
    await studio.change('policies', id, { effective_end: dayFromNow(-2) })
    expect(await listed()).toEqual([])
    const [removal] = await removals()
    expect(removal).toMatchObject({ id, reason: 'expired' })
    expect(Date.parse(removal?.removed_at ?? '')).toBeGreaterThanOrEqual(ahead)
    // What is left out now will be in a later answer: nothing may be kept of this one.
    await sql.owner.rows(`insert into app.heartbeats (xid, at) values ('3', now() - interval '1 second')`)
    const poll = await studio.ask('list_removals', 1, 10, new Date().toISOString())
    expect(poll).toMatchObject({ status: 200, total: '0', version: null })
  })

  test('over midnight: a policy is in its list or has left it, whatever the day is', async () => {
    const midnight = Date.parse(`${dayFromNow(1)}T00:00:00Z`)
    const [past, ending, open] = [
      await studio.add('policies', { effective_start: '2020-01-01' }),
      await studio.add('policies', { effective_start: '2020-01-01', effective_end: dayFromNow(0) }),
      await studio.add('policies', { effective_start: '2020-01-01' }),
    ]
    await sql.stopClock(new Date(midnight + 60_000).toISOString())
    await studio.change('policies', past, { effective_end: dayFromNow(0) })
    for (const moment of [midnight + 60_000, midnight - 60_000, midnight + 1]) {
      await sql.stopClock(new Date(moment).toISOString())
      await expectAgreement(past, ending, open)
      expect((await listed()).length).toBe(moment < midnight ? 3 : 1)
    }
  })
})

test('a policy that is deleted while the time zone changes stays removed', async () => {
  const id = await studio.add('policies', { effective_start: '2020-01-01' })
  const [deleting, moving] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
  await deleting.begin(studio)
  await deleting.rows('delete from app.policies where id = $1', [id])
  const moved = moving.rows(`update app.studios set timezone = 'Asia/Tokyo' where id = $1`, [studio.id])
  await sql.blocked(moving)
  await deleting.rows('commit')
  await moved
  expect(await removals()).toMatchObject([{ id, reason: 'deleted' }])
})

describe('in whichever order two meet', () => {
  test('an end of a policy and another time zone do not deadlock', async () => {
    const [first, second] = [
      await studio.add('policies', { effective_start: '2020-01-01' }),
      await studio.add('policies', { effective_start: '2020-01-01' }),
    ]
    const [ending, moving] = [await sql.connect('studio_writer'), await sql.connect('studio_owner')]
    // Whoever changes the time zone holds the studio when the writer comes, and wants the policies then.
    await moving.rows('begin')
    await moving.rows(`update app.studios set name = name || ' ' where id = $1`, [studio.id])
    await ending.begin(studio)
    const ended = ending.rows(`update app.policies set effective_end = $2 where id in ($1, $3)`, [
      first,
      dayFromNow(-2),
      second,
    ])
    await sql.blocked(ending)
    await moving.rows(`update app.studios set timezone = 'Asia/Tokyo' where id = $1`, [studio.id])
    await moving.rows('commit')
    await ended
    await ending.rows('commit')
    expect((await removals()).map(({ id }) => id).toSorted()).toEqual([first, second].toSorted())
  })

  test('a location that is deleted and another plan do not deadlock', async () => {
    const room = await studio.add('locations')
    const [deleting, upgrading] = [await sql.connect('studio_owner'), await sql.connect('studio_owner')]
    await sql.owner.rows(`select access.set_subscription($1, 'pro', 'active')`, [studio.id])
    await upgrading.rows('begin')
    await upgrading.rows('select from access.subscriptions where studio_id = $1 for update', [studio.id])
    await deleting.begin(studio)
    const deleted = deleting.rows('delete from app.locations where id = $1', [room])
    await sql.blocked(deleting)
    await upgrading.rows(`select access.set_subscription($1, 'studio', 'active')`, [studio.id])
    await upgrading.rows('commit')
    await deleted
    await deleting.rows('commit')
    expect(await removals()).toMatchObject([{ id: room, reason: 'deleted' }])
  })
})

test('removals are purged a part at a time, and what somebody brings back is not waited for', async () => {
  const items = [await studio.add('items'), await studio.add('items')]
  await studio.write((s) => s.rows('update app.items set archived_at = now()'))
  await sql.admin.rows(
    `insert into app.removals (studio_id, resource, id, reason)
     select $1, 'item', gen_random_uuid(), 'deleted' from generate_series(1, 5)`,
    [studio.id],
  )
  await sql.admin.rows(`update app.removals set removed_at = now() - interval '100 days' where studio_id = $1`, [
    studio.id,
  ])
  const bringing = await sql.connect('studio_writer')
  await bringing.begin(studio)
  await bringing.rows('update app.items set archived_at = null where id = $1', [items[0]])
  await sql.writer.rows(`set lock_timeout = '1s'`)
  const purge = () => sql.writer.value('select access.purge_removals(90, 4)')
  expect([await purge(), await purge(), await purge()]).toEqual(['4', '2', '0'])
  await bringing.rows('rollback')
  expect((await removals()).map(({ id }) => id)).toEqual([items[0]])
  expect([await purge(), await purge()]).toEqual(['1', '0'])
})
