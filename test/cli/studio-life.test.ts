import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from 'vitest'
import { digestOf } from '../../src/auth/token.ts'
import { createToken } from '../support/cast.ts'
import { asAdmin, asRole } from '../support/server.ts'
import { useCli } from './here.ts'

const cli = useCli()
let count = 0
let [name, studio, owner, token]: string[] = []

beforeEach(async () => {
  count += 1
  name = `Life ${count}`
  const made = await run('create', name, '--owner-email', `ona${count}@life.example`, '--owner-name', 'Ona')
  studio = made.stdout.trim()
  owner = await one('select user_id as v from access.members where studio_id = $1', [studio])
  token = (await createToken(cli.database, studio ?? '', owner ?? '')).token
})

const run = (...args: string[]) => cli.run('studio', ...args)
const one = async (text: string, values: unknown[] = []) => (await cli.told(text, values))[0]?.v
const account = async () => {
  const text = 'select status, data from api_v1.get_account($1)'
  const answer = await asRole(cli.database, 'studio_api', (api) => api.query(text, [digestOf(token ?? '')]))
  const { status, data } = answer.rows[0]
  return { status, ...JSON.parse(data ?? '{}') }
}
const events = async () =>
  (await cli.told('select event, detail from access.audit_log where studio_id = $1 order by id', [studio])).map(
    ({ event, detail }) => [event, detail],
  )

describe('the plan', () => {
  const plan = async (...args: string[]) => JSON.parse((await run('plan', studio ?? '', ...args, '--json')).stdout)

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
    expect((await run('plan', studio ?? '')).stdout).toBe(
      'pro, canceled, period from 2020-01-01 00:00:00 UTC, to 2020-02-01 00:00:00 UTC, the API is refused\n',
    )
  })

  test('that is canceled ends with the period that it has then', async () => {
    const before = await plan('--period', 'month', '--period-start', '2020-01-15', '--period-end', '2020-02-15')
    expect(Date.parse(before.current_period_end)).toBeGreaterThan(Date.now())
    expect(await plan('--status', 'canceled')).toMatchObject({
      current_period_end: before.current_period_end,
      api_access: true,
    })
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
    const { status, stdout, stderr } = await run('plan', studio ?? '', ...args)
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toContain(why)
  })
})

test('a studio is renamed, and the audit log has the name before', async () => {
  expect((await run('rename', name ?? '', `${name} Sound`)).stdout).toBe(`Renamed: ${name} Sound\n`)
  expect(await account()).toMatchObject({ status: 200, name: `${name} Sound` })
  expect(await events()).toContainEqual(['studio.renamed', name])
  const empty = await run('rename', studio ?? '', ' ')
  expect(empty.stderr).toContain('a studio needs a name of 1 to 200 characters')
})

test('an archived studio cannot be read until it is restored, unchanged', async () => {
  const before = await account()
  const analyst = JSON.parse((await cli.run('analyst', 'create', '--studio', studio ?? '', '--json')).stdout)
  const mayLogIn = () => one('select rolcanlogin as v from pg_roles where rolname = $1', [analyst.login])
  const asked = await run('archive', studio ?? '')
  expect(asked.stderr).toContain(`The API will refuse every token of ${name}`)
  expect(asked.stderr).toContain('Without a terminal, confirm it with --yes.')
  expect((await run('archive', studio ?? '', '--yes')).stdout).toBe(`Archived: ${name}\n`)
  expect((await account()).status).toBe(403)
  expect(await mayLogIn()).toBe(false)
  expect((await run('list')).stdout).toMatch(new RegExp(`^${name} +studio +archived`, 'm'))
  await run('archive', studio ?? '', '--undo')
  expect(await account()).toEqual(before)
  expect(await mayLogIn()).toBe(true)
  expect((await events()).slice(1)).toEqual([
    ['studio.archived', null],
    ['studio.restored', null],
  ])
  await cli.run('analyst', 'drop', analyst.login)
})

describe('a studio that is removed', () => {
  test('is gone with all its data, but for its audit log, which names no person', async () => {
    await cli.run('member', 'add', 'both@life.example', '--studio', studio ?? '', '--name', 'Bo')
    await run('create', `Other ${count}`, '--owner-email', `both@life.example`)
    await cli.run('analyst', 'create', '--studio', studio ?? '')
    await fill(studio ?? '')
    const keys = cli.at('photos.txt')

    const refused = await run('remove', name ?? '')
    expect(refused.stderr).toContain(
      `${name} will be removed permanently: 3 items, 2 members, 1 token and all its other data.`,
    )
    expect((await account()).status).toBe(200)

    const removed = await run('remove', name ?? '', '--yes', '--photo-keys', keys, '--json')
    expect(JSON.parse(removed.stdout)).toMatchObject({ studio_id: studio, name, photos: 3 })
    expect((await readFile(keys, 'utf8')).trim().split('\n')).toHaveLength(3)
    expect((await account()).status).toBe(401)
    expect(await leftOf(studio ?? '')).toEqual(['access.analyst_log', 'access.audit_log'])
    expect(await one('select id::text as v from app.studios where id = $1', [studio])).toBeUndefined()
    expect((await events()).map(([event]) => event)).toEqual(['token.issued', 'member.added', 'studio.removed'])
    expect(await one('select email as v from access.users where id = $1', [owner])).toBe(`${owner}@removed.invalid`)
    expect(await one(`select email as v from access.users where email = 'both@life.example'`)).toBe('both@life.example')
    expect((await run('remove', name ?? '', '--yes')).stderr).toContain(`there is no studio '${name}'`)
  })

  test('is removed in small transactions, and the removal goes on where it was interrupted', async () => {
    await fill(studio ?? '')
    const step = (text: string, values: unknown[]) => asAdmin(cli.database, (admin) => admin.query(text, values))
    await expect(step('select access.remove_rows($1, 1)', [studio])).rejects.toMatchObject({ code: 'SI404' })
    await step('select access.begin_removal($1, $2)', [studio, owner])
    expect((await account()).status).toBe(403)
    for (let times = 0; times < 5; times += 1) await step('select access.remove_rows($1, 1)', [studio])
    expect(await one('select count(*)::int as v from app.items where studio_id = $1', [studio])).toBe(3)
    expect((await run('remove', studio ?? '', '--yes')).status).toBe(0)
    expect(await leftOf(studio ?? '')).toEqual(['access.audit_log'])
  })
})

test('what is corrected is in the audit log, with who did it, from what to what; what stays is not', async () => {
  await cli.run('member', 'add', `ada${count}@life.example`, '--studio', studio ?? '', '--role', 'admin')
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
  await cli.run('member', 'add', `mia${count}@life.example`, '--studio', studio ?? '')
  const refused = await run('currency', name ?? '', 'EUR', '--yes', '--by', `mia${count}@life.example`)
  expect(refused.stderr).toContain('only an owner or admin of the studio can do that')
})

/** Three items with all that can belong to an item. */
async function fill(id: string): Promise<void> {
  await asAdmin(cli.database, async (admin) => {
    await admin.query('begin')
    await admin.query(`select set_config('studio.id', $1, true)`, [id])
    await admin.query(
      `with made as (
         insert into app.items (studio_id, name, purchase_price) select $1, 'Item ' || n, 10 from generate_series(1, 3) n
         returning id),
       policy as (insert into app.policies (studio_id, name) values ($1, 'Policy') returning id)
       insert into app.policy_assignments (studio_id, item_id, policy_id) select $1, made.id, policy.id from made, policy`,
      [id],
    )
    for (const text of [
      `insert into app.item_photos (studio_id, item_id, storage_key) select $1, id, id || '.jpg' from app.items where studio_id = $1`,
      `insert into app.market_values (studio_id, item_id, value, as_of) select $1, id, 5, '2026-01-01' from app.items where studio_id = $1`,
      `insert into app.maintenance_records (studio_id, item_id, title) select $1, id, 'Clean' from app.items where studio_id = $1`,
      `insert into app.locations (studio_id, name) values ($1, 'Store')`,
    ]) {
      await admin.query(text, [id])
    }
    await admin.query('commit')
  })
}

/** The tables with a column studio_id that have a row of a studio. */
async function leftOf(id: string): Promise<string[]> {
  return asAdmin(cli.database, async (admin) => {
    const tables = await admin.query<{ name: string }>(
      `select a.attrelid::regclass::text as name from pg_attribute a join pg_class c on c.oid = a.attrelid
       where a.attname = 'studio_id' and c.relkind = 'r' and c.relnamespace::regnamespace::text in ('app', 'access')
       order by 1`,
    )
    const left: string[] = []
    for (const { name } of tables.rows) {
      const { rows } = await admin.query(`select from ${name} where studio_id = $1 limit 1`, [id])
      if (rows.length > 0) left.push(name)
    }
    return left
  })
}
