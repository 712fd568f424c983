import type { Transaction } from '../database/session.ts'
import { uuidPattern } from '../domain/text.ts'
import { list } from './cells.ts'
import { type Column, type FileLayout, inSessionStudio, type Kind, stagedAs, targetOf } from './kinds/kind.ts'
import { quoted } from './row-errors.ts'

/** Statements that find each staged row's references, its existing row (`existing_id`), and its
 * `change` (changed, same; a row is staged as new). RLS shows only the studio's rows.
 * @param kept the file is a list of this service, which does not have everything of a row */
export function resolving(kind: Kind, layout: FileLayout, kept: boolean): string[] {
  const references = layout.columns.filter((column) => column.refersTo !== undefined)
  const outward = references.filter((column) => column.refersTo !== kind.table)
  const inward = references.filter((column) => column.refersTo === kind.table)
  return [
    ...outward.map((column) => refer(kind, column)),
    identify(kind),
    ...(kind.key === 'external_key' ? identifyById(kind) : []),
    ...(kept ? keepUnwritten(kind, layout) : []),
    ...(kind.settle?.(layout) ?? []),
    ...inward.map((column) => refer(kind, column)),
    classify(kind, layout),
  ]
}

/** The same for the list of a policy's items, which names neither its policy nor the keys of the
 * assignments. If a policy has each row as it stands, the rows are that policy's and change nothing.
 * Otherwise it records an error. */
export function resolvingByContent(kind: Kind, layout: FileLayout): string[] {
  const same = layout.columns.map(targetOf).map((target) => `a.${target} is not distinct from r.${target}`)
  const found = (of: string) => `
    (select a.id from app.policy_assignments a where a.${inSessionStudio} and a.policy_id = ${of} and ${same.join(' and ')} limit 1)`
  const policy = `
    (select p.id from app.policies p where p.${inSessionStudio}
      and not exists (select from pg_temp.import_rows r where not exists ${found('p.id')}) limit 1)`
  return [
    ...layout.columns.filter(({ refersTo }) => refersTo).map((column) => refer(kind, column)),
    `update pg_temp.import_rows as r set existing_id = ${found(policy)}`,
    `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy)
     select 1, 'policy', null, 'is not named in the file, and no policy of the studio has exactly these items',
       'import assignments.csv of an export of the studio, which names it'
     where exists (select from pg_temp.import_rows r where r.existing_id is null)`,
    classify(kind, layout),
  ]
}

/** Finds the row that a reference names: by its external key, else by its id, else (for locations) by a unique
 * name. */
function refer(kind: Kind, column: Column): string {
  return `update pg_temp.import_rows as r set ${targetOf(column)} = found.id
    from (${referenceQuery(kind, column)}) as found where found.given = r.${stagedAs(column)}`
}

/** Selects each reference as given, its id, and how many rows have it as their name. */
export function referenceQuery(kind: Kind, column: Column): string {
  const rows =
    column.refersTo === kind.table ? merged(kind) : `select * from app.${column.refersTo} where ${inSessionStudio}`
  const names =
    column.refersTo === 'locations'
      ? `(select x.name, count(*) as rows, min(x.id::text)::uuid as id from (${rows}) as x group by x.name)`
      : '(select null::text as name, 0 as rows, null::uuid as id)'
  return `
    select g.given, n.rows as named, coalesce(k.id, i.id, case when n.rows = 1 then n.id end) as id
    from (select distinct r.${stagedAs(column)} as given from pg_temp.import_rows r) as g
    left join (${rows}) as k on k.external_key = g.given
    left join (${rows}) as i
      on i.id = case when g.given ~* '${uuidPattern}' then g.given::uuid end
    left join ${names} as n on n.name = g.given
    where g.given is not null`
}

/** Selects the rows that a table will have after the import, because rows of a file can name each other. */
function merged(kind: Kind): string {
  return `
    select coalesce(staged.id, existing.id) as id, coalesce(staged.external_key, existing.external_key) as external_key,
      coalesce(staged.name, existing.name) as name
    from (select * from app.${kind.table} where ${inSessionStudio}) as existing
    full join pg_temp.import_rows as staged on staged.existing_id = existing.id`
}

function identify(kind: Kind): string {
  const [id, same] =
    kind.key === 'item' ? ['item_id', 'existing.item_id = r.item_id'] : ['id', 'existing.external_key = r.external_key']
  return `update pg_temp.import_rows as r set existing_id = existing.${id}
    from app.${kind.table} as existing where existing.${inSessionStudio} and ${same}`
}

/** Selects a value of the existing row by a subquery. With a join, PostgreSQL could read all rows of the file
 * once for each existing row. */
const existingValue = (kind: Kind, value: string, id = 'r.existing_id') =>
  `(select ${value} from app.${kind.table} as existing where existing.${inSessionStudio} and existing.id = ${id})`

/** An export writes the id of a row that has no key. When the row comes back, it still gets no key. */
function identifyById(kind: Kind): string[] {
  return [
    `update pg_temp.import_rows as r set existing_id = ${existingValue(kind, 'existing.id', 'r.external_key::uuid')}
     where r.existing_id is null and r.external_key ~* '${uuidPattern}'`,
    `update pg_temp.import_rows as r set external_key = ${existingValue(kind, 'existing.external_key')}
     where lower(r.external_key) = r.existing_id::text`,
  ]
}

/** The API's lists do not show everything of a row. They hide some locations and policy types, show a location
 * by a name that others may have too, and write "; " between labels that may contain it; the import also cleans
 * blanks away. If a row of the file says what the list shows, the database keeps what it has. */
function keepUnwritten(kind: Kind, { columns }: FileLayout): string[] {
  const shown = (array: string) => `array_to_string(${array}, '; ')`
  const isShown = (column: Column): string | undefined => {
    const target = targetOf(column)
    if (column.name === 'policy_type') return `r.${target} is null`
    if (column.cell === list) return `${shown(`r.${target}`)} = ${existingValue(kind, shown(`existing.${target}`))}`
    if (column.refersTo === undefined && column.cell.reads === undefined && column.name !== kind.key) {
      const clean = `normalize(regexp_replace(existing.${target}, '^\\s+|\\s+$', '', 'g'), nfc)`
      return `r.${target} = ${existingValue(kind, clean)}`
    }
    if (column.refersTo !== 'locations') return undefined
    const name = `(select l.name from app.locations l where l.${inSessionStudio} and l.id = existing.${target})`
    return `r.${target} is null and coalesce(r.${stagedAs(column)} = ${existingValue(kind, name)}, r.${stagedAs(column)} is null)`
  }
  return columns.flatMap((column) => {
    const condition = isShown(column)
    if (condition === undefined) return []
    const value = existingValue(kind, `existing.${targetOf(column)}`)
    return [
      `update pg_temp.import_rows as r set ${targetOf(column)} = ${value} where r.existing_id is not null and ${condition}`,
    ]
  })
}

function classify(kind: Kind, layout: FileLayout): string {
  const targets = layout.columns.map(targetOf)
  const row = (of: string) => `(${targets.map((target) => `${of}.${target}`).join(', ')})`
  return `update pg_temp.import_rows as r
    set change = case when ${row('r')} is distinct from ${row('existing')} then 'changed' else 'same' end
    from app.${kind.table} as existing
    where existing.${inSessionStudio} and existing.${kind.key === 'item' ? 'item_id' : 'id'} = r.existing_id`
}

const shown = 10

/** Makes the locations that the studio lacks, with the text as key and name; not for ids, and
 * only on the Studio plan. @returns notes for a person */
export async function makeLocations(transaction: Transaction, kind: Kind, column: Column): Promise<string[]> {
  const made = await transaction.query<{ name: string }>(
    `insert into app.locations (studio_id, external_key, name)
     select (select access.current_studio_id()), f.given, f.given
     from (${referenceQuery(kind, column)}) as f
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
