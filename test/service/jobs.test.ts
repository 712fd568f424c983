import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { EndedSession } from '../../src/analysts/upkeep.ts'
import { createJobs, type JobRun } from '../../src/service/job-runner.ts'
import { purgeActivity, purgeUploads, watchAnalysts } from '../../src/service/jobs.ts'
import { closeMonths, refreshValuations } from '../../src/service/refresh-values.ts'
import { issue } from '../sql/studio.ts'
import { type Studio, useSql } from '../sql/support.ts'
import { keepLog } from '../support/log.ts'

const sql = useSql()
let [sound, broken, last]: Studio[] = []
const { log, lines } = keepLog()
/** The named fields of each line of the log. */
const said = (...fields: string[]) => lines.map((line) => fields.map((field) => line[field]))

const falling = {
  purchase_price: 100,
  depreciation_method: 'straight_line',
  acquisition_date: '2025-01-31',
  useful_life_months: 10,
  residual_value: 0,
}
const items = new Map<string, string>()
const worth = async (studio: Studio | undefined) =>
  (await studio?.valuation(items.get(studio.id) ?? ''))?.current_estimated_value

beforeAll(async () => {
  await sql.stopClock('2025-01-31T12:00:00Z')
  ;[sound, broken, last] = [await sql.studio(), await sql.studio(), await sql.studio()]
  for (const studio of [sound, broken, last]) if (studio) items.set(studio.id, await studio.add('items', falling))
  // A rule of one studio that makes every refresh fail.
  await sql.owner.rows(`create function app.fail() returns trigger language plpgsql as
    $$ begin raise 'no room for %', new.item_id; end $$`)
})
beforeEach(() => {
  lines.length = 0
})
afterAll(() => sql.startClock())

const breakStudio = () =>
  sql.owner.rows(`create trigger fail before insert or update on app.item_valuations for each row
    when (new.studio_id = '${broken?.id}') execute function app.fail()`)
const fix = () => sql.owner.rows('drop trigger fail on app.item_valuations')

test('a studio whose refresh fails leaves the others refreshed, is logged, counted and due again', async () => {
  await sql.stopClock('2025-02-28T12:00:00Z')
  await breakStudio()
  const url = sql.database.urlFor('studio_writer')
  expect(await refreshValuations(url, log)).toEqual({ moved: 2, failed: 1 })
  expect([await worth(sound), await worth(broken), await worth(last)]).toEqual(['90.00', '100.00', '90.00'])
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      studio_hash: await sql.admin.value('select studio_hash from app.studios where id = $1', [broken?.id]),
      reason: expect.stringContaining('no room'),
      msg: 'could not refresh the valuations of a studio',
    }),
  ])
  expect(await refreshValuations(url, log)).toEqual({ moved: 0, failed: 1 })
  await fix()
  expect(await refreshValuations(url, log)).toEqual({ moved: 1, failed: 0 })
  expect(await worth(broken)).toBe('90.00')
})

test('a studio whose month cannot be closed leaves the others closed, is counted and due again', async () => {
  await sql.owner.rows(`update app.studios set closes_since = '2025-02-01'`)
  await sql.owner.rows(`create trigger fail before insert on app.closed_values for each row
    when (new.studio_id = '${broken?.id}') execute function app.fail()`)
  const url = sql.database.urlFor('studio_writer')
  await sql.stopClock('2025-03-01T12:00:00Z')
  expect(await closeMonths(url, log)).toEqual({ values: 2, failed: 1 })
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', reason: expect.any(String), msg: 'could not close a month of a studio' }),
  ])
  expect(await closeMonths(url, log)).toEqual({ values: 0, failed: 1 })
  await sql.owner.rows('drop trigger fail on app.closed_values')
  expect(await closeMonths(url, log)).toEqual({ values: 1, failed: 0 })
  await sql.owner.rows(`update app.studios set closes_since = '9999-01-01'`)
})

/** Stores an upload that expires in this many seconds. */
async function upload(seconds: number): Promise<void> {
  const studio = await sql.studio()
  await sql.admin.rows(
    `insert into access.console_uploads (studio_id, user_id, digest, content, choices, expires_at)
     values ($1, $2, $3, 'a,b', '{}', now() + make_interval(secs => $4))`,
    [studio.id, studio.owner, randomBytes(32), seconds],
  )
}

test('expired uploads are deleted without another upload; the others stay', async () => {
  const recorder = await sql.connect('studio_recorder')
  const pool = {
    query: async (text: string | { text: string }) => recorder.rows(typeof text === 'string' ? text : text.text),
  }
  for (const seconds of [-1, -3600, 3600]) await upload(seconds)
  const stop = purgeUploads(pool as Parameters<typeof purgeUploads>[0], createJobs(log), 1)
  const left = () => sql.admin.value<number>('select count(*)::int from access.console_uploads')
  await expect.poll(left, { timeout: 30_000 }).toBe(1)
  await upload(-1)
  await expect.poll(left, { timeout: 30_000 }).toBe(1)
  await stop()
  expect(said('msg', 'uploads')).toEqual([
    ['deleted expired uploads', 2],
    ['deleted expired uploads', 1],
  ])
})

test('the details of 12,000 old requests are forgotten in parts, each soon done, and the next run finds nothing', async () => {
  const studio = last
  if (!studio) throw new Error('no studio')
  const { tokenId: token } = await issue(sql, { studio: studio.id, issuer: studio.owner })
  await sql.admin.rows(
    `insert into access.request_activity (studio_id, token_id, at, endpoint, status, duration_ms, details)
     select $1, $2, now() - interval '91 days' + n * interval '1 second', 'list_items', 200, 1, '{}'
     from generate_series(1, 12000) n`,
    [studio.id, token],
  )
  const recorder = await sql.connect('studio_recorder')
  const parts: number[] = []
  const pool = {
    query: async ({ text }: { text: string }) => {
      const rows = await recorder.rows<{ purged: number }>(text)
      parts.push(rows[0]?.purged ?? 0)
      return rows
    },
  }
  const kept: JobRun[] = []
  const jobs = createJobs(log, async (run) => kept.push(run))
  const stop = purgeActivity(pool as unknown as Parameters<typeof purgeActivity>[0], jobs)
  await expect.poll(() => kept, { timeout: 30_000 }).toHaveLength(1)
  await stop()
  expect(parts).toEqual([5000, 5000, 2000, 0])
  expect(jobs.states()).toMatchObject([{ name: 'deletion of old details of requests', rows: 12_000, failures: 0 }])
  expect(await sql.admin.value<number>('select count(details)::int from access.request_activity')).toBe(0)
})

test('a job’s last success, its length and its last failure are kept for the operator', async () => {
  const recorder = await sql.connect('studio_recorder')
  const record = (failure: string | null) =>
    recorder.rows('select access.record_job($1, 60, 0.5, 7, $2)', ['a job', failure])
  const state = () =>
    sql.admin.rows(
      `select every::text, took::text, rows::int, succeeded_at is not null as succeeded, failure from access.jobs where name = 'a job'`,
    )
  await record(null)
  const good = { every: '00:01:00', took: '00:00:00.5', rows: 7, succeeded: true }
  expect(await state()).toEqual([{ ...good, failure: null }])
  await record('x'.repeat(600))
  expect(await state()).toEqual([{ ...good, failure: 'x'.repeat(500) }])
})

/** Watches with these looks in turn, the last one for ever; stops when all were taken. Returns how
 * many sessions ended, by what for. */
async function watch(looks: (() => Promise<EndedSession[]>)[]): Promise<Record<string, number>> {
  let taken = 0
  const watching = await new Promise<ReturnType<typeof watchAnalysts>>((resolve) => {
    const started = watchAnalysts(
      () => {
        const look = looks[taken]
        taken += 1
        if (taken > looks.length) queueMicrotask(() => resolve(started))
        return look ? look() : Promise.resolve([])
      },
      createJobs(log),
      1,
    )
  })
  await watching.stop()
  return Object.fromEntries(watching.ended())
}

const nothing = async () => []
const away = () => Promise.reject(new Error('away'))

describe('the watchdog of the service', () => {
  test('continues after a failure, and logs the failure and the recovery once each', async () => {
    await watch([away, away, away, nothing, nothing])
    expect(said('level', 'msg', 'reason')).toEqual([
      ['warn', 'a job fails', 'away'],
      ['info', 'a job works again', undefined],
    ])
  })

  test('says again after ten minutes that it still fails', async () => {
    let passed = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (passed += 600_000))
    onTestFinished(() => clock.mockRestore())
    await watch([away, away, nothing])
    expect(said('msg')).toEqual([['a job fails'], ['a job still fails'], ['a job works again']])
  })

  test('says once what it ended, and raises an alarm when a session is still there after that', async () => {
    const stuck: EndedSession = { login: 'analyst_1', pid: 7, action: 'ended', reason: 'its statement runs too long' }
    const ended = await watch([...Array.from({ length: 6 }, () => async () => [stuck]), nothing, async () => [stuck]])
    expect(ended).toMatchObject({ limits: 2, never: 1 })
    expect(said('level', 'msg', 'pid')).toEqual([
      ['warn', 'watchdog: ended a session of an analyst', 7],
      ['error', 'watchdog: a session of an analyst is still there', 7],
      ['warn', 'watchdog: ended a session of an analyst', 7],
    ])
  })
  test('counts the sessions that it ended by what for, each once', async () => {
    const reasons = [
      'its transaction holds a transaction id',
      'it may hold up the queue of notifications',
      'its studio has more sessions than one may have',
      'analysts have more sessions than they may, and its studio has most',
      'its login has expired',
    ]
    const ended = reasons.map((reason, pid): EndedSession => ({ login: 'analyst_1', pid, action: 'ended', reason }))
    const cancelled: EndedSession = {
      login: 'analyst_1',
      pid: 9,
      action: 'cancelled',
      reason: 'its statement runs too long',
    }
    const look = async () => [...ended, cancelled]
    expect(await watch([look, look])).toEqual({ writing: 1, notifications: 1, room: 2, limits: 1, never: 0 })
  })
})
