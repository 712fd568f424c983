import type { Transaction } from '../../../database/session.ts'
import { uuidPattern } from '../../../domain/uuid.ts'
import { type Column, type Kind, stagedAs } from '../kinds/kind.ts'
import { found } from '../resolve.ts'
import { quoted } from '../row-error.ts'

const shown = 10

/**
 * Makes the locations that the rows name and the studio does not have, with the text as key and name. Nothing is made where the plan
 * allows one location: the rows are then in error. What looks like an id names a location that is gone.
 *
 * @returns what a person should know
 */
export async function makeLocations(transaction: Transaction, kind: Kind, column: Column): Promise<string[]> {
  const made = await transaction.query<{ name: string }>(
    `insert into app.locations (studio_id, external_key, name)
     select (select access.current_studio_id()), f.given, f.given
     from (${found(kind, column)}) as f
     where f.id is null and f.named is null and access.current_plan() = 'studio'
       and f.given !~* '${uuidPattern}'
       and exists (select from pg_temp.import_rows r where r.${stagedAs(column)} = f.given)
     order by f.given
     returning name`,
  )
  if (made.length === 0) return []
  const names = made.slice(0, shown).map(({ name }) => quoted(name))
  const more = made.length > shown ? ` and ${made.length - shown} more` : ''
  return [`${made.length === 1 ? '1 new location' : `${made.length} new locations`}: ${names.join(', ')}${more}`]
}
