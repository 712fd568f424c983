import { beforeEach, describe, expect, test } from 'vitest'
import { type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let other: Studio
let item: string
beforeEach(async () => {
  studio = await sql.studio()
  other = await sql.studio()
  item = await studio.add('items')
})

const moving = 'the studio is being moved to another cell and cannot be written now'
const moved = 'the studio has moved to another cell'

/** Writes that the move has to stop, each by another road. */
const writes: Record<string, () => Promise<unknown>> = {
  'an item': () => studio.add('items'),
  'a change of an item': () => studio.change('items', item, { name: 'Other' }),
  'a location': () => studio.add('locations', { name: 'Room' }),
  'a policy': () => studio.add('policies'),
  'a market value': () => studio.market(item, '100'),
  'a member': () => sql.owner.rows(`select access.add_member($1, 'new@example.com', 'New', 'member')`, [studio.id]),
  'a plan': () => sql.owner.rows(`select access.set_subscription($1, 'pro', 'active')`, [studio.id]),
  'a name': () => sql.owner.rows(`select access.rename_studio($1, 'New name', $2)`, [studio.id, studio.owner]),
  'a revocation': () => sql.admin.rows('update access.tokens set revoked_at = now() where studio_id = $1', [studio.id]),
}

const reads = async () => (await studio.ask('get_account')).status

describe('while a move has stopped the writes of a studio', () => {
  const stopped = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    await move('leaving', 'copying')
    const lock = `(hashtext('studio move'), uuid_hash($1::uuid) & 1023)`
    await sql.admin.rows(`select pg_advisory_lock${lock}`, [studio.id])
    try {
      return await work()
    } finally {
      await sql.admin.rows(`select pg_advisory_unlock${lock}`, [studio.id])
    }
  }

  test.each(Object.keys(writes).filter((what) => what !== 'a revocation'))(
    '%s is refused, and accepted afterwards',
    async (what) => {
      await stopped(async () => {
        await expect(writes[what]?.()).rejects.toMatchObject({ code: 'SI503', message: moving })
      })
      await writes[what]?.()
    },
  )

  test('it is read, and its reads are recorded', async () => {
    await stopped(async () => {
      expect(await reads()).toBe(200)
      const token = await sql.admin.value('select id from access.tokens where studio_id = $1', [studio.id])
      await sql.admin.rows(
        `select access.record_activity(array[$1::uuid], array[now()], array['x'], array[200::smallint], array[1::real])`,
        [token],
      )
      expect(
        await sql.admin.value('select count(*)::int from access.request_activity where studio_id = $1', [studio.id]),
      ).toBe(1)
    })
  })

  test('other studios are written', async () => {
    await stopped(() => other.add('items'))
  })

  test('its values are refreshed and its months are closed later', async () => {
    await stopped(async () => {
      const hash = await sql.admin.value<number>('select studio_hash from app.studios where id = $1', [studio.id])
      const due = async () => sql.writer.value('select valuation.next_due($1, true)', [hash - 1])
      await sql.admin.rows('alter table app.item_valuations disable trigger user')
      await sql.admin.rows('delete from app.item_valuations where studio_id = $1', [studio.id])
      await sql.admin.rows('alter table app.item_valuations enable trigger user')
      expect(await due()).not.toBe(hash)
    })
  })
})

test('a move waits for a transaction that has written, and none writes after it', async () => {
  await move('leaving', 'copying')
  await studio.write(async (session) => {
    await session.rows('update app.items set name = name where id = $1', [item])
    const free = await sql.admin.value(
      `select pg_try_advisory_lock(hashtext('studio move'), uuid_hash($1::uuid) & 1023)`,
      [studio.id],
    )
    expect(free).toBe(false)
  })
})

describe.each(['switching', 'moved'] as const)('from the switch on (%s)', (state) => {
  beforeEach(() => move('leaving', state))

  test.each(Object.keys(writes))('%s is refused in the source by the state of the move alone', async (what) => {
    await expect(writes[what]?.()).rejects.toMatchObject({ code: 'SI503', message: state === 'moved' ? moved : moving })
  })
})

test('a transaction whose snapshot is older than the switch fails, and does not write', async () => {
  const session = await sql.connect('studio_writer')
  await session.rows('begin isolation level repeatable read')
  await session.rows(`select set_config('studio.id', $1, true)`, [studio.id])
  await move('leaving', 'moved')
  await sql.admin.rows('set session_replication_role = replica')
  await sql.admin.rows('update app.studios set name = name where id = $1', [studio.id])
  await sql.admin.rows('reset session_replication_role')
  await expect(session.rows('update app.items set name = name')).rejects.toMatchObject({ code: '40001' })
  await session.rows('rollback')
})

test.each(['arriving', 'landed', 'clearing'] as const)('a studio that is %s is not written', async (state) => {
  await move('arriving', state)
  await expect(studio.change('items', item, { name: 'Other' })).rejects.toMatchObject({ code: 'SI503' })
})

test('a studio that has arrived is written', async () => {
  await move('arriving', 'active')
  await studio.change('items', item, { name: 'Other' })
})

test('what a studio has left behind is not found by its name', async () => {
  await move('leaving', 'moved')
  await expect(sql.owner.value('select access.find_studio($1)', [studio.id])).rejects.toMatchObject({ code: 'SI404' })
})

test('old removals of a studio that moves are purged later, and do not keep those of others', async () => {
  for (const { id } of [studio, other]) {
    await sql.admin.rows(
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       values ($1, 'item', gen_random_uuid(), 'deleted', '2020-01-01')`,
      [id],
    )
  }
  await move('leaving', 'moved')
  await sql.admin.rows('select access.purge_removals(30)')
  const left = async ({ id }: Studio) =>
    sql.admin.value('select count(*)::int from app.removals where studio_id = $1', [id])
  expect(await left(studio)).toBe(1)
  expect(await left(other)).toBe(0)
})

describe('of a studio that came from another cell', () => {
  /** What a client is answered that asks the studio for removals since so many days ago. */
  const since = async (days: number, { ask }: Studio = studio) =>
    (await ask('list_removals', 1, 10, new Date(Date.now() - days * 86_400_000))).status
  const installed = (days: number) =>
    sql.owner.rows('update app.sync_state set removals_since = now() - make_interval(days => $1)', [days])
  const arrived = (days: number) => move('arriving', 'active', days)

  test.each(['landed', 'active'])(
    'removals are known as they were there, however young this cell is (%s)',
    async (state) => {
      await move('arriving', state, 20)
      await installed(10)
      expect([await since(21), await since(19)]).toEqual([410, 200])
      expect([await since(11, other), await since(9, other)]).toEqual([410, 200])
    },
  )

  test('removals are known only from then on, however old this cell is', async () => {
    await arrived(10)
    await installed(20)
    expect([await since(11), await since(9)]).toEqual([410, 200])
    expect(await since(19, other)).toBe(200)
  })

  test('an attempt that was aborted says nothing of removals', async () => {
    await move('arriving', 'aborted', 1)
    await installed(20)
    expect(await since(19)).toBe(200)
  })

  test('removals that are purged are not known any more', async () => {
    await arrived(20)
    await installed(20)
    await sql.admin.rows(
      `insert into app.removals (studio_id, resource, id, reason, removed_at)
       values ($1, 'item', gen_random_uuid(), 'deleted', now() - interval '15 days')`,
      [studio.id],
    )
    await sql.writer.rows('select access.purge_removals(12)')
    expect([await since(13), await since(11)]).toEqual([410, 200])
  })

  test('after a restore everything is read again, as of every studio', async () => {
    const history = await sql.owner.value('select access.history()')
    await sql.owner.rows(`update app.sync_state set history = 'another'`)
    await arrived(20)
    await sql.owner.rows('select app.forget_removals($1)', [history])
    expect([await since(0), await since(0, other)]).toEqual([410, 410])
  })

  test('the first service to be started here changes nothing', async () => {
    await sql.owner.rows('update app.sync_state set history = null')
    await arrived(20)
    await sql.owner.rows('select app.forget_removals(access.history())')
    expect(await since(19)).toBe(200)
  })
})

test('what was restored while it was copied can be removed, and come back', async () => {
  await move('leaving', 'copying')
  await sql.owner.rows('select access.begin_removal($1, $2)', [studio.id, studio.owner])
  const remove = () => sql.owner.value<string>('select access.remove_rows($1)', [studio.id])
  for (let rows = await remove(); Number(rows) > 0; rows = await remove());
  expect(await sql.admin.value('select state from access.studio_moves where studio_id = $1', [studio.id])).toBe(
    'aborted',
  )
  await move('arriving', 'arriving')
})

test('no login of the service reads or writes what is known of moves', async () => {
  for (const session of [sql.writer, sql.api]) {
    await expect(session.rows('select from access.studio_moves')).rejects.toMatchObject({ code: '42501' })
  }
  await expect(sql.writer.rows('delete from access.studio_moves')).rejects.toMatchObject({ code: '42501' })
})

/** Writes down that the studio is on the way, and for how many days its removals are known when it has arrived. */
async function move(direction: 'leaving' | 'arriving', state: string, days: number | null = null): Promise<void> {
  await sql.admin.rows(
    `insert into access.studio_moves (id, studio_id, direction, peer, state, removals_since)
     values (gen_random_uuid(), $1, $2, 'eu2', $3, now() - make_interval(days => $4))`,
    [studio.id, direction, state, days],
  )
}
