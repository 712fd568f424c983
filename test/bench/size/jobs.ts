import { type Client, withClient } from '../../../src/database/client.ts'
import { closeMonths, refreshValuations } from '../../../src/process/valuation.ts'
import { type Time, timed } from './cpu.ts'
import { log, type Place } from './server.ts'

export type Refresh = Time & { studios: number; values: number }
export type Jobs = {
  /** Milliseconds of one look when nothing is due, and of processor time. */
  looks: { what: string; ms: number; cpuMs: number }[]
  day: Refresh
  month: Refresh
  closing: Refresh
}

/** What the service does for all studios, by its own functions, in one process. */
export async function measureJobs(
  place: Place,
  studios: { day: number; month: number; closing: number },
): Promise<Jobs> {
  const looks = [
    await look(place, 'refresh: nothing is due', place.writerUrl, 'select valuation.next_due(null, false)'),
    await look(place, 'closing of months: nothing to close', place.writerUrl, 'select valuation.next_to_close(null)'),
    await look(place, 'old removals: none', place.writerUrl, 'select access.purge_removals(30)'),
    await look(place, 'watchdog', place.recorderUrl, 'select access.watch_analysts()'),
    await look(place, 'heartbeat', place.recorderUrl, 'select access.heartbeat()'),
  ]
  const day = await refresh(place, studios.day, `and extract(day from v.revalue_on) = 15`)
  const month = await refresh(place, studios.month, '')
  const closing = await close(place, studios.closing)
  return { looks, day, month, closing }
}

async function look(place: Place, what: string, url: string, text: string) {
  const times = 4
  const { seconds, cpu } = await timed(place, () =>
    withClient(url, async (client) => {
      for (let n = 0; n < times; n++) await client.query(text)
    }),
  )
  return { what, ms: (seconds * 1_000) / times, cpuMs: (cpu * 1_000) / times }
}

/** Makes values due: of some studios, those whose day it is. They were worth more before. */
async function refresh(place: Place, count: number, whose: string): Promise<Refresh> {
  const studios = await withClient(place.adminUrl, async (client) => {
    const chosen = await someStudios(client, count)
    await client.query('set session_replication_role = replica')
    await client.query(
      `update app.item_valuations v set revalue_on = current_date, current_estimated_value = v.current_estimated_value + 10
       where v.studio_id = any ($1) and v.revalue_on is not null ${whose}`,
      [chosen],
    )
    return chosen.length
  })
  const { result, ...time } = await timed(place, () => refreshValuations(place.writerUrl, log))
  const { moved, failed } = result
  if (failed > 0) throw new Error(`${failed} studios could not be refreshed`)
  return { studios, values: moved, ...time }
}

/** Lets some studios have one month to close. */
async function close(place: Place, count: number): Promise<Refresh> {
  const studios = await withClient(place.adminUrl, async (client) => {
    const chosen = await someStudios(client, count)
    await client.query('set session_replication_role = replica')
    await client.query(
      `update app.studios set closes_since = date_trunc('month', now()) - interval '15 days' where id = any ($1)`,
      [chosen],
    )
    return chosen.length
  })
  const { result, ...time } = await timed(place, () => closeMonths(place.writerUrl, log))
  const { values, failed } = result
  if (failed > 0) throw new Error(`${failed} studios could not be closed`)
  return { studios, values, ...time }
}

export async function someStudios(client: Client, count: number): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>(
    'select studio_id as id from bench.loaded order by random() limit $1',
    [count],
  )
  return rows.map(({ id }) => id)
}
