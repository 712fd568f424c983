import { withClient } from '../../src/database/client.ts'
import { enterStudio, withStudioWriter } from '../../src/database/session.ts'
import { median, type Ratio, spread } from './contest.ts'
import { type Dataset, makeStudio, type Studio } from './dataset.ts'
import { percentile } from './load.ts'
import type { Scratch } from './scratch.ts'

/** One kind of update: how long it takes with every trigger and without any, in milliseconds. */
export type UpdateCost = { title: string; bare: number; full: number; ratio: Ratio }

export type WritePace = { rounds: number; updates: number; importRows: number }

/** The same table, keys, indexes and policies, and no trigger. */
const bareTable = `
  drop table if exists app.bare_items;
  create table app.bare_items (like app.items including all);
  alter table app.bare_items owner to studio_owner;
  alter table app.bare_items add foreign key (category) references app.categories on update cascade;
  alter table app.bare_items add foreign key (studio_id) references app.studios;
  alter table app.bare_items add foreign key (studio_id, location_id) references app.locations;
  alter table app.bare_items enable row level security, force row level security;
  create policy "as app.items" on app.bare_items using (
    studio_id = (select access.current_studio_id())
    and ((select session_user in ('studio_api', 'studio_writer')) or (select access.current_studio_mask())[studio_hash])
  ) with check (studio_id = (select access.current_studio_id()));
  grant select, update, insert on app.bare_items to studio_writer;`

/** What an app changes: in turns, so that every update changes something. */
const updates: [title: string, change: string][] = [
  ['a name', `name = 'Item ' || $3`],
  ['an insured value', 'reported_insured_value = $3::integer % 97 + 1000'],
  [
    'a price, uninsured and back',
    'reported_insured_value = $3::integer % 2 * 500, purchase_price = $3::integer % 89 + 10',
  ],
]

/** Updates of one item by its key, each in its own statement, with every trigger and without; the transaction stays open. */
export async function updateCosts({ adminUrl, writerUrl }: Scratch, { usual }: Dataset, pace: WritePace) {
  const studio = usual[4] as Studio
  await withClient(adminUrl, async (client) => {
    await client.query(bareTable)
    const { rows } = await client.query<{ written: string }>(
      `select string_agg(quote_ident(attname), ', ') as written from pg_attribute
       where attrelid = 'app.items'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    )
    const written = rows[0]?.written
    const copy = `insert into app.bare_items (${written}) select ${written} from app.items where studio_id = $1`
    await client.query(copy, [studio.id])
    await client.query('vacuum analyze app.bare_items')
  })
  const costs: UpdateCost[] = []
  let n = 0
  for (const [title, change] of updates) {
    const times: Record<'items' | 'bare_items', number[]> = { items: [], bare_items: [] }
    for (let round = 0; round < pace.rounds; round++) {
      for (const table of round % 2 === 0 ? (['items', 'bare_items'] as const) : (['bare_items', 'items'] as const)) {
        const text = `update app.${table} set ${change} where studio_id = $1 and id = $2`
        times[table].push(
          await withStudioWriter(writerUrl, studio.id, async (transaction) => {
            const taken: number[] = []
            for (let update = 0; update < pace.updates; update++) {
              n += 1
              const id = studio.items[(n * 7) % studio.items.length]
              const started = performance.now()
              await transaction.query(text, [studio.id, id, n])
              taken.push(performance.now() - started)
            }
            return percentile(taken.slice(taken.length >> 2), 0.5)
          }),
        )
      }
    }
    const ratio = spread(times.items.map((full, round) => full / (times.bare_items[round] ?? Number.NaN)))
    costs.push({ title, bare: median(times.bare_items), full: median(times.items), ratio })
  }
  await withClient(adminUrl, (client) => client.query('drop table app.bare_items'))
  return costs
}

/**
 * Whether two writers of one studio wait for each other: transactions that each update an item of their own and stay open
 * for a moment, by one writer and by two at once.
 */
export async function twoWriters({ writerUrl }: Scratch, { usual }: Dataset, transactions: number) {
  const studio = usual[5] as Studio
  const openMs = 20
  const write = (writer: number) =>
    withClient(writerUrl, async (client) => {
      const started = performance.now()
      for (let n = 0; n < transactions; n++) {
        await client.query('begin')
        await enterStudio(
          { query: async (text, values) => (await client.query(text, [...(values ?? [])])).rows },
          studio.id,
        )
        await client.query(
          `update app.items set reported_insured_value = 1000 - reported_insured_value % 1000 where studio_id = $1 and id = $2`,
          [studio.id, studio.items[writer * 100 + (n % 100)]],
        )
        await new Promise((resolve) => setTimeout(resolve, openMs))
        await client.query('commit')
      }
      return performance.now() - started
    })
  const alone = await write(0)
  const both = await Promise.all([write(0), write(1)])
  return { alone: alone / transactions, both: Math.max(...both) / transactions }
}

/** Writes many new items of one studio in one statement, as an import does, with every trigger. */
export async function importCost({ adminUrl, writerUrl }: Scratch, rows: number) {
  const studio = await makeStudio(adminUrl, 'The importing studio', { items: 10 })
  const started = performance.now()
  await withStudioWriter(writerUrl, studio.id, (transaction) =>
    transaction.query(
      `insert into app.items (studio_id, external_key, name, category, purchase_price, reported_insured_value)
       select $1, 'new-' || n, 'New item ' || n, (array['Microphones', 'Guitars & Basses'])[n % 2 + 1], n % 500, n % 300
       from generate_series(1, $2::integer) as n`,
      [studio.id, rows],
    ),
  )
  return { rows, seconds: (performance.now() - started) / 1000 }
}
