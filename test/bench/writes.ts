import { withClient } from '../../src/database/client.ts'
import { withStudioWriter } from '../../src/importer/staging.ts'
import { type Bar, median } from './bar.ts'
import type { Dataset, Scratch, Studio } from './data.ts'
import { ratios } from './load.ts'

/** The same table, keys, indexes and policies, and no trigger. */
const bareTable = `
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
  ['a price', 'reported_insured_value = $3::integer % 2 * 500, purchase_price = $3::integer % 89 + 10'],
]

/** Updates one item by its key, with and without triggers, in one open transaction. */
export async function updateCosts(scratch: Scratch, { usual }: Dataset, rounds: number): Promise<Bar[]> {
  const studio = usual[4] as Studio
  await withClient(scratch.adminUrl, async (client) => {
    await client.query(bareTable)
    const { rows } = await client.query<{ written: string }>(
      `select string_agg(quote_ident(attname), ', ') as written from pg_attribute
       where attrelid = 'app.items'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    )
    const columns = rows[0]?.written
    const copied = `select ${columns} from app.items where studio_id = '${studio.id}'`
    await client.query(`insert into app.bare_items (${columns}) ${copied}`)
    await client.query('vacuum analyze app.bare_items')
  })
  let n = 0
  const timeOf = (table: string, change: string) =>
    withStudioWriter(scratch.writerUrl, studio.id, async (transaction) => {
      const taken: number[] = []
      for (let update = 0; update < 400; update++) {
        n += 1
        const values = [studio.id, studio.items[(n * 7) % studio.items.length], n]
        const began = performance.now()
        await transaction.query(`update app.${table} set ${change} where studio_id = $1 and id = $2`, values)
        taken.push(performance.now() - began)
      }
      return median(taken.slice(100))
    })
  const bars: Bar[] = []
  for (const [title, change] of updates) {
    const [full, bare]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      full.push(await timeOf('items', change))
      bare.push(await timeOf('bare_items', change))
    }
    bars.push({ what: `update of ${title}: with triggers / bare`, values: ratios(full, bare), unit: '×', atMost: 2.6 })
  }
  return bars
}
