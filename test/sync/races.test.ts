import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { usePair } from './pair.ts'

vi.setConfig({ testTimeout: 120_000 })

/** Each test takes the order in which a client would lose something if writers ignored each
 * other. */
const { world, together, newStudio, expectExact } = usePair()

/** Whether a session waits for another. */
const waits = () =>
  vi.waitUntil(
    async () => {
      const waiting = await world.owner(`select from pg_locks where not granted and (locktype = 'transactionid'
        or database = (select oid from pg_database where datname = current_database()))`)
      return waiting.length > 0
    },
    { timeout: 60_000 },
  )

test('a record that waits for its item long after it was stamped is not missed', async () => {
  const { id, token, client } = await newStudio()
  const item = await world.add('items', { name: 'Tape machine' }, id)
  await together(id, async (writer, owner) => {
    await owner.run('update app.items set name = $2 where id = $1', [item, 'Tape machine 2'])
    const insert = 'insert into app.maintenance_records (studio_id, item_id, title) values ($1, $2, $3)'
    const inserted = writer.run(insert, [id, item, 'Align the heads'])
    await waits()
    await sleep(3_500)
    await owner.run('commit')
    await inserted
    await sleep(1_500)
    await client.poll()
    await client.poll()
    await writer.run('commit')
  })
  await expectExact(client, token)
  expect(client.copy.maintenance.size).toBe(1)
})

test('a location that is recorded while the plan changes is not kept', async () => {
  const { id, token, client } = await newStudio()
  await together(id, async (writer, owner) => {
    await writer.run('insert into app.locations (studio_id, name) values ($1, $2)', [id, 'Store'])
    await sleep(2_500)
    const changed = owner.run(`select access.set_subscription($1, 'pro', 'active')`, [id])
    await Promise.race([changed, sleep(500)])
    await writer.run('commit')
    await changed
    await client.poll()
    await client.poll()
    await owner.run('commit')
  })
  await expectExact(client, token)
})

test('a location that becomes the default while the plan changes is not removed', async () => {
  const { id, token, client } = await newStudio()
  const room = await world.add('locations', { name: 'Room' }, id)
  await together(id, async (writer, owner) => {
    await writer.run('update app.locations set is_default = false where studio_id = $1 and is_default', [id])
    await writer.run('update app.locations set is_default = true where studio_id = $1 and id = $2', [id, room])
    const changed = owner
      .run(`select access.set_subscription($1, 'pro', 'active')`, [id])
      .then(() => owner.run('commit'))
    await Promise.race([changed, sleep(500)])
    await writer.run('commit')
    await changed
  })
  await expectExact(client, token)
  expect([...client.copy.location.keys()]).toEqual([room])
})

test('a policy that returns while the time zone changes leaves at the midnight of the new one', async () => {
  const { id } = await newStudio()
  const days = { effective_start: '2026-01-01', effective_end: '2990-06-30' }
  const policy = await world.add('policies', { name: 'Tour', ...days, archived_at: '2026-02-02' }, id)
  const zone = 'Pacific/Pago_Pago'
  await together(id, async (writer, owner) => {
    await owner.run('update app.studios set timezone = $2 where id = $1', [id, zone])
    const back = writer.run('update app.policies set archived_at = null where studio_id = $1 and id = $2', [id, policy])
    await waits()
    await owner.run('commit')
    await back
    await writer.run('commit')
  })
  const text = 'select removed_at::text as at from app.removals where studio_id = $1'
  const [removal] = await world.asOwner(({ query }) => query<{ at: string }>(text, [id]), id)
  expect(Date.parse(removal?.at ?? '')).toBe(Date.parse('2990-07-01T00:00:00-11:00'))
})

test('a policy that is deleted and recorded again, to begin later, is removed', async () => {
  const { id, token, client } = await newStudio()
  const policy = randomUUID()
  const insert = 'insert into app.policies (studio_id, id, name, effective_start) values ($1, $2, $3, $4)'
  await world.write(({ query }) => query(insert, [id, policy, 'This year', '2026-01-01']), id)
  await expectExact(client, token)
  expect(client.copy.policy.size).toBe(1)
  await world.asOwner(async ({ query }) => {
    await query('delete from app.policies where studio_id = $1 and id = $2', [id, policy])
    await query(insert, [id, policy, 'Next year', '2990-01-01'])
  }, id)
  await expectExact(client, token)
  expect(client.copy.policy.size).toBe(0)
})
