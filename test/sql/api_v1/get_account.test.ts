import { afterAll, beforeEach, expect, test } from 'vitest'
import { subscribe } from '../access/people.ts'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio

beforeEach(async () => {
  studio = await sql.studio({ name: 'Hansa "Meister"', timezone: 'Europe/Berlin' })
})
afterAll(() => sql.startClock())

const ask = async () => parsed(await studio.ask('get_account'))[0]

test('the account has exactly its fields', async () => {
  await sql.owner.rows(`select access.set_subscription($1, 'pro_insure', 'trialing', $2, $3, $4)`, [
    studio.id,
    '2999-01-02T03:04:05.678Z',
    '2026-01-01T00:00:00+02:00',
    '2026-02-01T00:00:00Z',
  ])
  await studio.add('items')
  const answer = await studio.ask('get_account')
  expect(answer).toMatchObject({ status: 200, plan_tier: 'pro_insure', photo_keys: null })
  expect(answer.data).toBe(
    `{"name":"Hansa \\"Meister\\"","plan_tier":"pro_insure","is_trial":true,"trial_ends_at":"2999-01-02T03:04:05.678Z",` +
      `"current_period_start":"2025-12-31T22:00:00.000Z","current_period_end":"2026-02-01T00:00:00.000Z",` +
      `"item_count":1,"currency":"EUR","timezone":"Europe/Berlin"}`,
  )
})

test('what is not known of the period is null', async () => {
  await subscribe(sql, studio, { status: 'active' })
  expect(await ask()).toMatchObject({
    is_trial: false,
    trial_ends_at: null,
    current_period_start: null,
    current_period_end: null,
    item_count: 0,
  })
})

test('items are counted that are not archived, and the studio’s own', async () => {
  const stranger = await sql.studio()
  await stranger.add('items')
  const ids = [await studio.add('items'), await studio.add('items'), await studio.add('items')]
  await studio.change('items', ids[0] ?? '', { archived_at: new Date() })
  expect(await ask()).toMatchObject({ item_count: 2 })
})

test('the plan is the one at this moment', async () => {
  for (const plan of ['pro', 'studio', 'pro_insure'] as const) {
    await subscribe(sql, studio, { plan, status: 'active' })
    expect(await ask()).toMatchObject({ plan_tier: plan })
  }
})

test('a paid plan keeps the end of its trial without being one', async () => {
  await subscribe(sql, studio, { status: 'active', trialEnds: '2026-01-01T00:00:00Z' })
  expect(await ask()).toMatchObject({ is_trial: false, trial_ends_at: '2026-01-01T00:00:00.000Z' })
})
