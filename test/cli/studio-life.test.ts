import { beforeEach, describe, expect, test } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { createToken } from '../support/cast.ts'
import { asAdmin, asRole } from '../support/server.ts'
import { expectRefused, useCli } from './here.ts'

const cli = useCli()
let count = 0
let [name, studio, token]: [string, string, string] = ['', '', '']

beforeEach(async () => {
  count += 1
  name = `Life ${count}`
  studio = await cli.newStudio(name, `ona${count}@life.example`)
  const owner = await one('select user_id as v from access.members where studio_id = $1', [studio])
  token = (await createToken(cli.database, studio, owner)).token
})

const run = (...args: string[]) => cli.run('studio', ...args)
const one = async (text: string, values: unknown[] = []) => (await cli.told(text, values))[0]?.v
const account = async () => {
  const text = 'select status, data from api_v1.get_account($1)'
  const answer = await asRole(cli.database, 'studio_api', (api) => api.query(text, [digestOf(token)]))
  const { status, data } = answer.rows[0]
  return { status, ...JSON.parse(data ?? '{}') }
}
const events = async () =>
  (await cli.told('select event, detail from access.audit_log where studio_id = $1 order by id', [studio])).map(
    ({ event, detail }) => [event, detail],
  )

describe('the plan', () => {
  const plan = (...args: string[]) => cli.json('studio', 'plan', studio, ...args)

  test('of a new studio renews each month, from today', async () => {
    expect(await plan()).toMatchObject({ plan: 'studio', status: 'active', renews: 'month', api_access: true })
    const { current_period_start: start, current_period_end: end } = await account()
    expect(start).toMatch(/T00:00:00.000Z$/)
    expect(Date.parse(start)).toBeLessThanOrEqual(Date.now())
    expect(Date.parse(end)).toBeGreaterThan(Date.now())
  })

  test('is set, and what is not given stays', async () => {
    await plan('--status', 'trialing', '--trial-ends', '2199-01-31')
    expect(await plan('--plan', 'pro')).toMatchObject({
      plan: 'pro',
      status: 'trialing',
      trial_ends_at: '2199-02-01T00:00:00.000Z',
    })
    expect(await account()).toMatchObject({ plan_tier: 'pro', is_trial: true })
    const period = ['--period-start', '2020-01-01', '--period-end', '2020-02-01']
    expect(await plan('--status', 'canceled', ...period)).toMatchObject({
      current_period_end: '2020-02-01T00:00:00.000Z',
      api_access: false,
    })
    expect((await account()).status).toBe(403)
    expect((await run('plan', studio)).stdout).toBe(
      'pro, canceled, period from 2020-01-01 00:00:00 UTC, to 2020-02-01 00:00:00 UTC, the API is refused\n',
    )
  })

  test('that is canceled ends with the period that it has then', async () => {
    const before = await plan('--period', 'month', '--period-start', '2020-01-15', '--period-end', '2020-02-15')
    expect(Date.parse(before.current_period_end)).toBeGreaterThan(Date.now())
    const { current_period_end } = before
    expect(await plan('--status', 'canceled')).toMatchObject({ current_period_end, api_access: true })
  })

  test('that two people change at once has both changes', async () => {
    await asAdmin(cli.database, async (other) => {
      await other.query('begin')
      await other.query(`update access.subscriptions set plan = 'pro' where studio_id = $1`, [studio])
      const changed = plan('--status', 'past_due')
      const waits = `select count(*)::int as v from pg_stat_activity where wait_event_type = 'Lock' and query like '%subscription%'`
      await expect.poll(() => one(waits), { timeout: 30_000 }).toBe(1)
      await other.query('commit')
      expect(await changed).toMatchObject({ plan: 'pro', status: 'past_due' })
    })
  })

  test.each([
    [['--status', 'trialing'], 'a trial needs an end'],
    [['--period-start', '2026-01-01'], 'a period needs both of its days'],
    [['--period-start', '2026-02-01', '--period-end', '2026-02-01'], 'a period ends after it begins'],
    [['--trial-ends', 'soon'], 'Write a day such as 2027-01-31.'],
    [['--plan', 'gold'], 'Allowed choices are pro, pro_insure, studio'],
  ])('%j is refused', async (args, why) => {
    expectRefused(await run('plan', studio, ...args), why)
  })
})

test('a studio is renamed, and the audit log has the name before', async () => {
  expect((await run('rename', name, `${name} Sound`)).stdout).toBe(`Renamed: ${name} Sound\n`)
  expect(await account()).toMatchObject({ status: 200, name: `${name} Sound` })
  expect(await events()).toContainEqual(['studio.renamed', name])
  expectRefused(await run('rename', studio, ' '), 'a studio needs a name of 1 to 200 characters')
})

test('an archived studio cannot be read until it is restored, unchanged', async () => {
  const before = await account()
  const analyst = await cli.json('analyst', 'create', '--studio', studio)
  const mayLogIn = () => one('select rolcanlogin as v from pg_roles where rolname = $1', [analyst.login])
  const asked = await run('archive', studio)
  expect(asked.stderr).toContain(`The API will refuse every token of ${name}`)
  expect(asked.stderr).toContain('Without a terminal, confirm it with --yes.')
  expect((await run('archive', studio, '--yes')).stdout).toBe(`Archived: ${name}\n`)
  expect((await account()).status).toBe(403)
  expect(await mayLogIn()).toBe(false)
  expect((await run('list')).stdout).toMatch(new RegExp(`^${name} +studio +archived`, 'm'))
  await run('archive', studio, '--undo')
  expect(await account()).toEqual(before)
  expect(await mayLogIn()).toBe(true)
  expect((await events()).slice(1)).toEqual([
    ['studio.archived', null],
    ['studio.restored', null],
  ])
  await cli.run('analyst', 'drop', analyst.login)
})

test('what is corrected is in the audit log, with who did it, from what to what; what stays is not', async () => {
  await cli.run('member', 'add', `ada${count}@life.example`, '--studio', studio, '--role', 'admin')
  const by = ['--by', `ada${count}@life.example`]
  for (const args of [
    ['currency', name, 'USD', '--yes'],
    ['currency', name, 'USD', '--yes'],
    ['time-zone', name, 'Asia/Tokyo', '--yes'],
    ['financial-year', '--studio', name, '--month', '4'],
    ['financial-year', '--studio', name, '--month', '4'],
    ['financial-year', '--studio', name, '--month', 'none'],
    ['first-period', name, 'day'],
    ['category', name, 'Computers & Software', '--rate', '40', '--switch', 'yes'],
    ['category', name, 'Computers & Software', '--rate', '40', '--switch', 'yes'],
    ['category', name, 'Computers & Software', '--rate', '12.5', '--switch', 'floor'],
    ['category', name, 'Computers & Software', '--rate', 'none'],
  ]) {
    expect((await run(...args.map(String), ...by)).status, args.join(' ')).toBe(0)
  }
  expect((await events()).slice(2)).toEqual([
    ['studio.currency_changed', 'EUR → USD'],
    ['studio.time_zone_changed', 'UTC → Asia/Tokyo'],
    ['studio.financial_year_changed', 'none → 4'],
    ['studio.financial_year_changed', '4 → none'],
    ['studio.first_period_changed', 'full_month → day'],
    ['studio.category_changed', 'Computers & Software: by useful life → 40 %, switches to straight line'],
    [
      'studio.category_changed',
      'Computers & Software: 40 %, switches to straight line → 12.5 %, never less than straight line',
    ],
    ['studio.category_changed', 'Computers & Software: 12.5 %, never less than straight line → by useful life'],
  ])
  const text = `select string_agg(distinct u.email, ' ') as v from access.audit_log l join access.users u on u.id = l.actor_user_id
    where l.studio_id = $1 and l.event ~ '^studio'`
  expect(await one(text, [studio])).toBe(`ada${count}@life.example`)
  await cli.run('member', 'add', `mia${count}@life.example`, '--studio', studio)
  const refused = await run('currency', name, 'EUR', '--yes', '--by', `mia${count}@life.example`)
  expectRefused(refused, 'only an owner or admin of the studio can do that')
})
