import { join } from 'node:path'
import type { Transaction } from '../../database/session.ts'
import { contentTypeOf } from '../../domain/vocabulary.ts'
import type { Changes, RowChange, Shown } from '../changes.ts'
import { inSessionStudio } from '../kinds/kind.ts'
import type { Writing } from '../write.ts'
import { digestOf } from './folder.ts'

/** What a file can be called after. A serial number or name must be that of one item. */
const one = (column: string) => `(select min(i.id::text)::uuid as id, i.${column} as called from app.items i
    where i.${inSessionStudio} and i.archived_at is null and i.${column} <> '' group by i.${column} having count(*) = 1)`
const key = (written: string) => `(select i.id, ${written} as called from app.items i where i.${inSessionStudio})`
const called = [[key('i.external_key'), key('normalize(i.external_key, nfc)')], [one('serial_number')], [one('name')]]

/** Finds items by file names. The whole name is tried before a name with a place, and an exact key before its
 * form C. */
const findItems = (by: string, column: string, place: string) =>
  `update pg_temp.import_rows as r set item_id = i.id, item = r.${column}, position = ${place}
   from ${by} as i where i.called = r.${column} and r.item_id is null`

/** Finds each staged file's item, and the photo's place. */
const findingItems: readonly string[] = called.flatMap((ways) => [
  ...ways.map((by) => findItems(by, 'item', '0')),
  ...ways.map((by) => findItems(by, 'item_in_name', 'r.position_in_name')),
])

const content = (row: string) => `substring(${row}.storage_key from '[^-]+$')`
const turn = (row: string) =>
  `row_number() over (partition by ${row}.item_id, ${content(row)} order by ${row}.position, ${row}.storage_key)`

/** Finds the storage key of each file with a known item, and the imported photo that it
 * replaces. A file adds nothing if its item has that content in a place that no file replaces. */
export const resolvingPhotos: readonly string[] = [
  // The staged key is "<digest>.<ending>".
  `update pg_temp.import_rows as r set storage_key =
     access.current_studio_id() || '/imported/' || r.item_id || '-' || r.position + 1 || '-' || r.storage_key`,
  `update pg_temp.import_rows as r set existing_id = existing.id,
     change = case when existing.storage_key = r.storage_key then 'same' else 'changed' end
   from app.item_photos as existing
   where existing.${inSessionStudio} and existing.item_id = r.item_id and existing.position = r.position and r.change is null
     and starts_with(existing.storage_key, existing.studio_id || '/imported/')`,
  `update pg_temp.import_rows as staged set change = 'same', existing_id = pair.id, storage_key = pair.storage_key
   from (
     select f.line, o.id, o.storage_key from (
       select r.line, r.item_id, ${content('r')} as content, ${turn('r')} as turn from pg_temp.import_rows r where r.change is null
     ) as f join (
       select p.id, p.item_id, p.storage_key, ${content('p')} as content, ${turn('p')} as turn from app.item_photos p
       where p.${inSessionStudio} and starts_with(p.storage_key, p.studio_id || '/imported/')
         and p.item_id in (select r.item_id from pg_temp.import_rows r where r.change is null)
         and not exists (select 1 from pg_temp.import_rows r where r.existing_id = p.id)
     ) as o using (item_id, content, turn)
   ) as pair where pair.line = staged.line`,
  `update pg_temp.import_rows as r set change = 'new' where r.change is null`,
]

export const checkingPhotos: readonly string[] = [
  `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy)
   select null, 'file', r.file, 'matches no item in this studio', case when r.item is null
     then 'write an item''s external key into photos.csv' else 'call it by an item''s external key, serial number or name, such as MIC-001.jpg or MIC-001-2.jpg' end
   from pg_temp.import_rows r where r.item_id is null`,
  `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy)
   select null, 'file', r.file, 'is photo ' || r.position + 1 || ' of ' || r.item || ' like "' || r.first || '"', 'give one of them another number'
   from (
     select x.file, x.item, x.position, first_value(x.file) over (partition by x.item_id, x.position order by x.file collate "C") as first
     from pg_temp.import_rows x where x.item_id is not null
   ) as r where r.file <> r.first`,
]

export const writingPhotos: Writing = [
  `insert into app.item_photos (studio_id, item_id, position, storage_key)
   select (select access.current_studio_id()), r.item_id, r.position, r.storage_key
   from pg_temp.import_rows r where r.change = 'new' order by r.line`,
  `update app.item_photos as existing set storage_key = r.storage_key
   from pg_temp.import_rows r where r.change = 'changed' and existing.${inSessionStudio} and existing.id = r.existing_id`,
]

/** Selects the next files to copy, after a line. A file without a storage key is already there. */
export const photosToCopy = `
  select r.line, r.file, r.storage_key from pg_temp.import_rows r
  where r.line > $1 and r.storage_key is not null order by r.line limit 500`

/** The condition for staged photos that differ from what an earlier import put in their place. */
const notImported = `r.item_id is not null and not exists (
  select 1 from app.item_photos i where i.${inSessionStudio} and i.item_id = r.item_id and i.position = r.position
    and i.storage_key = i.studio_id || '/imported/' || i.item_id || '-' || i.position + 1 || '-' || r.storage_key)`

const selectOthers = `
  select p.id, p.storage_key from app.item_photos p
  where p.${inSessionStudio} and not starts_with(p.storage_key, p.studio_id || '/imported/')
    and p.item_id in (select r.item_id from pg_temp.import_rows r where ${notImported})`

/** Marks a photo that the item already has as unchanged, so that it is not copied. Each photo counts for one
 * file. */
const markSame = `
  update pg_temp.import_rows as staged set change = 'same', existing_id = pair.id, storage_key = null
  from (
    select f.line, o.id from (
      select r.line, r.item_id, split_part(r.storage_key, '.', 1) as digest,
        row_number() over (partition by r.item_id, split_part(r.storage_key, '.', 1) order by r.position, r.line) as turn
      from pg_temp.import_rows r where ${notImported}
    ) as f join (
      select p.id, p.item_id, d.digest, row_number() over (partition by p.item_id, d.digest order by p.position, p.id) as turn
      from unnest($1::uuid[], $2::text[]) as d (id, digest) join app.item_photos p on p.id = d.id and p.${inSessionStudio}
    ) as o using (item_id, digest, turn)
  ) as pair where pair.line = staged.line`

/** Finds files with the content of a photo of the same item that was not imported, so that a
 * studio's own export adds nothing. Cannot compare photos outside the folder. */
export async function markSameContent(transaction: Transaction, photosDir: string): Promise<void> {
  for (const statement of findingItems) await transaction.query(statement)
  const ids: string[] = []
  const digests: string[] = []
  for (const { id, storage_key } of await transaction.query<{ id: string; storage_key: string }>(selectOthers)) {
    if (contentTypeOf(storage_key) === null) continue
    const digest = await digestOf(join(photosDir, storage_key)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (digest === undefined) continue
    ids.push(id)
    digests.push(digest)
  }
  if (ids.length > 0) await transaction.query(markSame, [ids, digests])
}

/** Reads the item of each new or changed photo, in the order of the archive or folder. */
export async function readPhotoChanges(transaction: Transaction, shown: Shown): Promise<Changes> {
  const { after, rows: most } = shown ?? { after: 0, rows: 10 }
  const rows = await transaction.query<RowChange>(
    `select r.line::integer as line, r.file as key, r.change = 'new' as "isNew", '{}'::text[] as odd,
       jsonb_build_array(jsonb_build_object('before', i.name, 'after', i.name),
         jsonb_build_object('before', r.position + 1, 'after', r.position + 1)) as values
     from pg_temp.import_rows r join app.items i on i.${inSessionStudio} and i.id = r.item_id
     where r.change in ('new', 'changed') and r.line > $1 order by r.line limit $2`,
    [after, most],
  )
  const columns = [
    { name: 'item', shows: 'text' as const },
    { name: 'place', shows: 'text' as const },
  ]
  return { columns, rows }
}
