import { inPart, type Writing } from '../write.ts'

const own = 'studio_id = (select access.current_studio_id())'

/** Finds the items that files name; a whole name comes before one with a place, and a key as it is before another form of it. */
const findItems = (column: string, place: string) =>
  ['i.external_key', 'normalize(i.external_key, nfc)'].map(
    (key) => `update pg_temp.import_rows as r set item_id = i.id, item = i.external_key, position = ${place}
   from app.items i where i.${own} and ${key} = r.${column} and r.item_id is null`,
  )

/**
 * Finds, for each file in the staging table, its item, its storage key, and the photo that it replaces. Imported photos
 * are in a folder of their own, so all others stay unchanged.
 */
export const resolvingPhotos: readonly string[] = [
  ...findItems('item', '0'),
  ...findItems('item_in_name', 'r.position_in_name'),
  // What was staged is "<digest>.<ending>".
  `update pg_temp.import_rows as r set storage_key =
     access.current_studio_id() || '/imported/' || r.item_id || '-' || r.position + 1 || '-' || r.storage_key`,
  `update pg_temp.import_rows as r set existing_id = existing.id,
     change = case when existing.storage_key = r.storage_key then 'same' else 'changed' end
   from app.item_photos as existing
   where existing.${own} and existing.item_id = r.item_id and existing.position = r.position
     and starts_with(existing.storage_key, existing.studio_id || '/imported/')`,
  `update pg_temp.import_rows as r set change = 'new' where r.change is null`,
]

export const checkingPhotos: readonly string[] = [
  `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy)
   select null, 'file', r.file, 'names no item of this studio', 'call it by an item''s external key, such as MIC-001.jpg or MIC-001-2.jpg'
   from pg_temp.import_rows r where r.item_id is null`,
  `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy)
   select null, 'file', r.file, 'is photo ' || r.position + 1 || ' of ' || r.item || ' like "' || r.first || '"', 'give one of them another number'
   from (
     select x.file, x.item, x.position, first_value(x.file) over (partition by x.item_id, x.position order by x.file collate "C") as first
     from pg_temp.import_rows x where x.item_id is not null
   ) as r where r.file <> r.first`,
]

export const writingPhotos: Writing = {
  before: [],
  rows: {
    new: `insert into app.item_photos (studio_id, item_id, position, storage_key)
   select (select access.current_studio_id()), r.item_id, r.position, r.storage_key
   from pg_temp.import_rows r where ${inPart('new')} order by r.line`,
    changed: `update app.item_photos as existing set storage_key = r.storage_key
   from pg_temp.import_rows r where ${inPart('changed')} and existing.${own} and existing.id = r.existing_id`,
  },
  atOnce: false,
}

/** The files to copy, a page at a time: those after a line. */
export const photosToCopy = `
  select r.line, r.file, r.storage_key from pg_temp.import_rows r
  where r.line > $1 order by r.line limit 500`
