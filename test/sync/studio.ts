import { type TestDatabase, withClient } from '../support/server.ts'
import type { Removal, Resource } from './client.ts'

/** What is in the lists at one moment. A record that is equal at two moments has existed between
 * them. */
const living = `
  with s as (
    select s.*, u.plan, s.xmin::text || ' ' || u.xmin::text as read_by, (access.clock() at time zone s.timezone)::date as today
    from app.studios s join access.subscriptions u on u.studio_id = s.id where s.id = $1)
  select 'item ' || i.id as record, i.xmin::text as state
  from app.items i where i.studio_id = $1 and i.archived_at is null
  union all
  select 'valuation ' || v.item_id, v.xmin::text
  from app.item_valuations v where v.studio_id = $1 and not v.is_archived
  union all
  select 'maintenance ' || m.id, m.xmin::text
  from app.maintenance_records m where m.studio_id = $1 and not m.item_archived
  union all
  select 'location ' || l.id, l.xmin::text || ' ' || s.read_by
  from app.locations l, s where l.studio_id = $1 and (l.is_default or s.plan = 'studio')
  union all
  select 'policy ' || p.id, p.xmin::text || ' ' || s.read_by || ' ' || s.today
  from app.policies p, s
  where p.studio_id = $1 and p.archived_at is null and p.effective_start <= s.today
    and (p.effective_end is null or p.effective_end >= s.today)`

/** Watches the clients of a studio on one connection, and checks that what they remove is gone. */
export type Watch = {
  /** For the client: is called before it asks, and the returned function when it has an answer. */
  witness(): Promise<(removals: Removal[]) => Promise<void>>
  /** Records that were reported as removed while they lived all the time that it took to ask. */
  wrong: string[]
  /** The records in the lists now. */
  living(): Promise<string[]>
  /** What the database has of a record, and when it is asked. */
  about(resource: Resource, id: string): Promise<object>
  /** Waits until nothing written before can still appear, and the calendar is past a moment. */
  settled(moment: Date): Promise<void>
}

export function watchStudio<Result>(
  database: TestDatabase,
  studioId: string,
  work: (watch: Watch) => Promise<Result>,
): Promise<Result> {
  return withClient(database.adminUrl, async (admin) => {
    let queue: Promise<unknown> = Promise.resolve()
    /** One at a time: the driver warns of more on one connection. */
    const query = <Row extends object>(text: string): Promise<Row[]> => {
      const asked = queue.then(async () => (await admin.query<Row>(text, [studioId])).rows)
      queue = asked.catch(() => undefined)
      return asked
    }
    const states = async () => {
      const rows = await query<{ record: string; state: string }>(living)
      return new Map(rows.map(({ record, state }) => [record, state]))
    }
    const wrong: string[] = []
    return work({
      wrong,
      async witness() {
        const before = await states()
        return async (removals) => {
          if (removals.length === 0) return
          const after = await states()
          for (const { resource, id } of removals) {
            const record = `${resource} ${id}`
            const state = before.get(record)
            if (state !== undefined && state === after.get(record)) wrong.push(record)
          }
        }
      },
      living: async () => [...(await states()).keys()],
      async about(resource, id) {
        const table = {
          ...{ item: 'items', valuation: 'item_valuations', maintenance: 'maintenance_records' },
          ...{ location: 'locations', policy: 'policies' },
        }[resource]
        const key = resource === 'valuation' ? 'item_id' : 'id'
        const [found] = await query<object>(
          `select access.clock() as now, access.watermark(), to_jsonb(t) as row,
             (select jsonb_agg(r) from app.removals r where r.studio_id = $1 and r.id = '${id}') as removals,
             (select timezone from app.studios where id = $1) as timezone
           from (values (1)) v left join app.${table} t on t.studio_id = $1 and t.${key} = '${id}'`,
        )
        return { resource, id, ...found }
      },
      async settled(moment) {
        const end = performance.now() + 30_000
        for (;;) {
          const [row] = await query<{ settled: boolean }>(
            settled.replace('$2', `'${moment.toISOString()}'::timestamptz`),
          )
          if (row?.settled) return
          if (performance.now() > end) throw new Error('the watermark does not pass what was written')
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      },
    })
  })
}

const settled = `
  select access.watermark() > greatest($2, (
    select max(at) from (
      select max(updated_at) from app.items where studio_id = $1
      union all select max(updated_at) from app.item_valuations where studio_id = $1
      union all select max(updated_at) from app.maintenance_records where studio_id = $1
      union all select max(updated_at) from app.locations where studio_id = $1
      union all select max(updated_at) from app.policies where studio_id = $1
      union all select max(removed_at) from app.removals where studio_id = $1 and removed_at <= access.clock()
    ) as newest (at))) as settled`

/** By the clock and the time zone of a studio. */
export async function millisecondsToMidnight(database: TestDatabase, studioId: string): Promise<number> {
  return withClient(database.adminUrl, async (admin) => {
    const { rows } = await admin.query(
      `select extract(epoch from (access.studio_today(id) + 1)::timestamp at time zone timezone - access.clock()) as left
       from app.studios where id = $1`,
      [studioId],
    )
    return Math.floor(Number(rows[0].left) * 1_000)
  })
}
