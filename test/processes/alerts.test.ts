import { beforeAll, expect, test, vi } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { parts } from '../../src/database/pool.ts'
import { servedNames } from '../../src/observability/request-metrics.ts'
import { useStage } from '../faults/support.ts'
import { asAdmin } from '../support/server.ts'
import { alertNames, type Scenario, type Series, seriesIn, wrongAlerts } from './prometheus.ts'

/** A real process whose replica and identity provider are down, with the metrics that Prometheus
 * scrapes. */
const stage = useStage({
  CONSOLE_ISSUER: 'http://127.0.0.1:1',
  CONSOLE_CLIENT_ID: 'studio-inventory',
  REPLICA_DATABASE_URLS: 'postgres://127.0.0.1:1/studio',
  RATE_LIMITS: 'failed=3',
  CACHE_MAX_BYTES: '0',
})

/** The whole name of a series of ours. */
const whole = (series: string) => (/^(up|nodejs_|process_)/.test(series) ? series : `studio_inventory_${series}`)
const requests = (operation: string, status: number) => `requests_total{operation="${operation}",status="${status}"}`

/** Values that depend on the machine and the moment, as they are when all is well. */
const usual: Readonly<Record<string, number>> = {
  up: 1,
  nodejs_eventloop_lag_p99_seconds: 0.01,
  process_resident_memory_bytes: 200e6,
  [whole('replica_in_use{replica="1"}')]: 1,
  [whole('watermark_age_seconds')]: 2,
}

async function get(path: string, token = stage.cast.a.token.token): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` }
  return (await fetch(`http://127.0.0.1:${stage.service.port}${path}`, { headers })).status
}
async function scrape(): Promise<Series> {
  const text = await (await fetch(`http://127.0.0.1:${stage.service.metricsPort}/metrics`)).text()
  return new Map([...seriesIn(text), ...Object.entries(usual)])
}

let healthy: Series
beforeAll(async () => {
  for (let count = 0; count < 5; count += 1) expect(await get('/v1/items')).toBe(200)
  await vi.waitUntil(async () => (await scrape()).get(whole(requests('list_items', 200))) === 5, { timeout: 20_000 })
  healthy = await scrape()
}, 60_000)

/** The series of a healthy process. If an incident created a series, nobody would see it grow. */
function scenario(name: string, changed: Scenario['then'], ...alerts: string[]): Scenario {
  const then = Object.fromEntries(Object.entries(changed).map(([series, value]) => [whole(series), value]))
  for (const series of Object.keys(then)) expect(healthy.has(series), `${series} before ${name}`).toBe(true)
  return { name, before: healthy, then, alerts: alerts.map((alert) => `StudioInventory${alert}`) }
}

/** One series that grows. */
const grown = (name: string, series: string, grows: number, alert: string) =>
  scenario(name, { [series]: { grows } }, alert)

/** The buckets of answers that take longer than two seconds. */
const slow = () =>
  [...healthy.keys()]
    .filter((series) => /_seconds_bucket\{(?=.*"list_items").*le="(2.5|5|10|\+Inf)"/.test(series))
    .map((series) => series.replace('studio_inventory_', ''))

const scenarios = (): Scenario[] => [
  scenario('all is well', { [requests('list_items', 200)]: { grows: 100 } }),
  scenario('the process is gone', { up: 0 }, 'Down'),
  scenario('it is not ready', { ready: 0 }, 'NotReady'),
  ...servedNames.map((name) => scenario(`the first 500 of ${name}`, { [requests(name, 500)]: 1 }, 'Errors')),
  scenario(
    'a tenth of all answers are 503',
    { [requests('list_items', 200)]: { grows: 90 }, [requests('list_items', 503)]: { grows: 10 } },
    'Unavailable',
  ),
  ...parts.map((of) => grown(`answers without ${of}`, `partial_answers_total{part="${of}"}`, 1, 'PartialAnswers')),
  scenario('requests take two seconds', Object.fromEntries(slow().map((series) => [series, { grows: 10 }])), 'Slow'),
  grown('the identity provider is away', 'sign_ins_total{outcome="unavailable"}', 1, 'SignInUnavailable'),
  scenario('requests wait for connections', { 'pool_waiting{pool="studio_api"}': 3 }, 'PoolExhausted'),
  grown('requests are shed', 'pool_refused_total{pool="studio_api"}', 5, 'Shedding'),
  scenario('a transaction stays open', { watermark_age_seconds: 300 }, 'WatermarkHeldBack'),
  scenario('no heartbeat succeeds', { watermark_age_seconds: Number.NaN }, 'WatermarkHeldBack'),
  ...(['writing', 'notifications'] as const).map((reason) =>
    grown(
      `an analyst's session ends for ${reason}`,
      `analyst_sessions_ended_total{reason="${reason}"}`,
      1,
      'AnalystWrites',
    ),
  ),
  grown('analysts have no room', 'analyst_sessions_ended_total{reason="room"}', 1, 'AnalystsFull'),
  grown('a program logs in for each statement', 'database_logins_total', 100, 'LoginStorm'),
  grown('nothing ends a session', 'analyst_sessions_ended_total{reason="never"}', 1, 'AnalystNeverEnds'),
  scenario('a job fails', { 'job_success_age_seconds{job_name="deletion of expired uploads"}': 800 }, 'JobLate'),
  scenario('a replica is away', { 'replica_in_use{replica="1"}': 0 }, 'ReplicaLeftOut'),
  grown('activity is dropped', 'recorder_dropped_total', 1, 'ActivityLost'),
  grown('somebody guesses', 'rate_limit_refusals_total{limit="address"}', 30, 'FailedTokens'),
  scenario('one core is not enough', { nodejs_eventloop_lag_p99_seconds: 0.5 }, 'EventLoopLate'),
  scenario('memory grows', { process_resident_memory_bytes: 900e6 }, 'Memory'),
]

test('each alert fires when it should, from the first event, and no other with it', async () => {
  const all = scenarios()
  expect(new Set(all.flatMap(({ alerts }) => alerts))).toEqual(new Set(await alertNames()))
  expect(await wrongAlerts(all)).toBe('')
}, 120_000)

test('every operation has its series of 500 and 503 before the first of them', () => {
  for (const { id } of operations) {
    for (const status of [500, 503]) expect(healthy.get(whole(requests(id, status))), `${id} ${status}`).toBe(0)
  }
})

test('each session that somebody opens in the database is counted', async () => {
  const name = 'database_logins_total'
  const before = await stage.service.metric(name)
  for (let count = 0; count < 20; count += 1) await asAdmin(stage.database, (client) => client.query('select 1'))
  await vi.waitUntil(async () => (await stage.service.metric(name)) >= before + 20, { timeout: 20_000 })
})
