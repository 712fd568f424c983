import { expect, test } from 'vitest'
import type { z } from 'zod'
import type { account } from '../../src/api/account.ts'
import { type Single, useWorld } from '../support/world.ts'

type Account = z.infer<typeof account>

const world = useWorld()
const read = async (token = world.cast.a.token.token) =>
  (await world.read<Single<Account>>('/v1/account', { token })).data

test('the account has its plan tier, billing period, item count, currency and time zone', async () => {
  const { id, name } = world.cast.a
  await world.subscribe(id, 'studio', 'active', null, '2026-01-01T00:00:00Z', '2027-01-01T00:00:00+02:00')
  expect(await read()).toEqual({
    name,
    plan_tier: 'studio',
    is_trial: false,
    trial_ends_at: null,
    current_period_start: '2026-01-01T00:00:00.000Z',
    current_period_end: '2026-12-31T22:00:00.000Z',
    item_count: 6,
    currency: 'EUR',
    timezone: 'Europe/Berlin',
  })
})

test('a trial says that it is one and when it ends', async () => {
  const { id, token } = await world.newStudio()
  await world.subscribe(id, 'pro', 'trialing', '2090-05-06T07:08:09.123Z')
  expect(await read(token)).toMatchObject({
    plan_tier: 'pro',
    is_trial: true,
    trial_ends_at: '2090-05-06T07:08:09.123Z',
    current_period_start: null,
    current_period_end: null,
  })
})

test('the item count is that of the list: archived items do not count', async () => {
  const { id, token } = await world.newStudio()
  expect((await read(token)).item_count).toBe(0)
  for (const archived_at of [null, null, '2026-01-01T00:00:00Z'])
    await world.add('items', { name: 'X', archived_at }, id)
  expect((await read(token)).item_count).toBe(2)
  const { meta } = await world.read<{ meta: { total: number } }>('/v1/items', { token })
  expect(meta.total).toBe(2)
})
