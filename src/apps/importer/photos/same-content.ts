import { join } from 'node:path'
import type { Transaction } from '../../../database/session.ts'
import { contentTypeOf } from '../../../domain/photo-keys.ts'
import { digestOf } from './files.ts'
import { findingItems } from './statements.ts'

const own = 'studio_id = (select access.current_studio_id())'

/** The condition of a staged photo that is not the one which an earlier import put in its place. */
const notImported = `r.item_id is not null and not exists (
  select 1 from app.item_photos i where i.${own} and i.item_id = r.item_id and i.position = r.position
    and i.storage_key = i.studio_id || '/imported/' || i.item_id || '-' || i.position + 1 || '-' || r.storage_key)`

const selectOthers = `
  select p.id, p.storage_key from app.item_photos p
  where p.${own} and not starts_with(p.storage_key, p.studio_id || '/imported/')
    and p.item_id in (select r.item_id from pg_temp.import_rows r where ${notImported})`

/** A photo that the item has already is the same, and is not copied. One row for each of several that are alike. */
const markSame = `
  update pg_temp.import_rows as staged set change = 'same', existing_id = pair.id, storage_key = null
  from (
    select f.line, o.id from (
      select r.line, r.item_id, split_part(r.storage_key, '.', 1) as digest,
        row_number() over (partition by r.item_id, split_part(r.storage_key, '.', 1) order by r.position, r.line) as turn
      from pg_temp.import_rows r where ${notImported}
    ) as f join (
      select p.id, p.item_id, d.digest, row_number() over (partition by p.item_id, d.digest order by p.position, p.id) as turn
      from unnest($1::uuid[], $2::text[]) as d (id, digest) join app.item_photos p on p.id = d.id and p.${own}
    ) as o using (item_id, digest, turn)
  ) as pair where pair.line = staged.line`

/**
 * Finds the files whose content is that of a photo of the same item which was not imported, so that a studio's own export adds
 * nothing to it. Photos that are not in the folder of photos cannot be compared.
 */
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
