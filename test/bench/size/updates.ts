import { type Client, withClient } from '../../../src/database/client.ts'
import { type Time, timed } from './cpu.ts'
import type { Place } from './server.ts'

export type Updated = Time & { studios: number; items: number; hot: number }

/**
 * Renames items with every trigger, in two sessions, a transaction for each studio; stops when the time is over.
 *
 * @param share of the items of each studio: those whose random ids begin in one range
 */
export async function rename(place: Place, studios: string[], share: number, seconds: number): Promise<Updated> {
  const began = performance.now()
  const elapsed = () => (performance.now() - began) / 1_000
  const done = { studios: 0, items: 0 }
  const before = await withClient(place.adminUrl, updatesOf)
  const queue = [...studios]
  const work = () =>
    withClient(place.writerUrl, async (client) => {
      for (let id = queue.pop(); id !== undefined && elapsed() < seconds; id = queue.pop()) {
        const [from, to] = range(share)
        await client.query('begin')
        await client.query(`select set_config('studio.id', $1, true)`, [id])
        const { rowCount } = await client.query({
          name: 'rename',
          text: `update app.items set name = name || '!' where studio_id = $1 and id between $2 and $3`,
          values: [id, from, to],
        })
        await client.query('commit')
        done.studios += 1
        done.items += rowCount ?? 0
      }
    })
  const { seconds: took, cpu } = await timed(place, () => Promise.all([work(), work()]))
  // Counts of a session that has ended are there.
  const after = await withClient(place.adminUrl, updatesOf)
  const all = after.updates - before.updates
  return { ...done, seconds: took, cpu, hot: all > 0 ? (after.hot - before.hot) / all : Number.NaN }
}

async function updatesOf(client: Client): Promise<{ updates: number; hot: number }> {
  await new Promise((resolve) => setTimeout(resolve, 300))
  const { rows } = await client.query(
    `select sum(n_tup_upd) as updates, sum(n_tup_hot_upd) as hot from pg_stat_user_tables
     where schemaname = 'app' and relname ~ '^items(_\\d+)?$'`,
  )
  return { updates: Number(rows[0].updates), hot: Number(rows[0].hot) }
}

function range(share: number): [string, string] {
  const all = 2 ** 32
  const width = Math.floor(share * all)
  const from = Math.floor(Math.random() * (all - width))
  const id = (number: number, rest: string) =>
    `${number.toString(16).padStart(8, '0')}-${rest.repeat(4)}-${rest.repeat(4)}-${rest.repeat(4)}-${rest.repeat(12)}`
  return [id(from, '0'), id(Math.min(all - 1, from + width - 1), 'f')]
}
