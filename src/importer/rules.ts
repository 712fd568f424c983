import { digits, list, text } from './cells.ts'
import { type FileLayout, type Kind, stagedAs, targetOf } from './kinds/kind.ts'
import { referenceQuery } from './references.ts'

/** Statements that record the rows that cannot be written. All run before any writing. */
export function checking(kind: Kind, layout: FileLayout): string[] {
  const selects = [
    repeatedKeys(kind),
    ...longTexts(kind, layout),
    ...missingColumns(kind, layout),
    ...unknownReferences(kind, layout),
    ...kind.rules.filter((rule) => rule.reads.some(layout.has)).map((rule) => rule.errors(layout)),
  ]
  return selects.map(
    (select) => `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy) ${select}`,
  )
}

/** Finds keys that the file has twice. A row that names an item by its key repeats one that names it by its id. */
function repeatedKeys(kind: Kind): string {
  const same = kind.key === 'item' ? 'coalesce(x.item_id::text, x.item)' : 'x.external_key'
  return `
    select r.line, '${kind.key}', r.${kind.key}, 'is already on line ' || r.first, 'give each row its own key'
    from (
      select x.line, x.${kind.key}, min(x.line) over (partition by ${same}) as first
      from pg_temp.import_rows x where x.${kind.key} is not null
    ) as r
    where r.line <> r.first`
}

/** Finds texts that are longer than their columns take (`access.text_lengths()`). */
function longTexts(kind: Kind, layout: FileLayout): string[] {
  const texts = layout.columns.filter(({ cell, refersTo }) => !refersTo && [text, digits, list].includes(cell))
  return texts.map((column) => {
    const written = column.cell === list ? `array_to_string(r.${stagedAs(column)}, ',')` : `r.${stagedAs(column)}`
    return `
      with longest as materialized (
        select l.characters from access.text_lengths() l
        where l.relation = 'app.${kind.table}' and l.name = '${targetOf(column)}'
      )
      select r.line, '${column.name}', left(${written}, 1000), 'is longer than ' || l.characters || ' characters', 'shorten it'
      from longest l join pg_temp.import_rows r on char_length(${written}) > l.characters`
  })
}

/** A new row needs columns that an existing row has. Reported once per file. */
function missingColumns(kind: Kind, layout: FileLayout): string[] {
  return kind.columns
    .filter((column) => column.required && column.name !== kind.key && !layout.has(column.name))
    .map(
      (column) => `
        select 1, '${column.name}', null, 'is missing from the header, and ' || case count(*)
            when 1 then '1 row is new and needs it' else count(*) || ' rows are new and need it' end
            || ' (first: line ' || min(r.line) || ')',
          'add the column'
        from pg_temp.import_rows r where r.existing_id is null having count(*) > 0`,
    )
}

/** "Available on the Studio plan; the Pro plan has one implicit location." */
const onePlace = `when access.current_plan() is distinct from 'studio'
            then 'this studio has one location, because more than one needs the Studio plan: leave the column out, or write that location'`

function unknownReferences(kind: Kind, layout: FileLayout): string[] {
  return layout.columns.flatMap((column) => {
    if (column.refersTo === undefined) return []
    const one = { items: 'an item', locations: 'a location', policies: 'a policy' }[column.refersTo]
    const by = column.refersTo === 'locations' ? 'external key, id or name' : 'external key or id'
    return `
      select r.line, '${column.name}', r.${stagedAs(column)},
        case when found.named > 1 then 'is the name of ' || found.named || ' locations'
          else 'matches nothing in this studio' end,
        case when found.named > 1 then 'write the external key of one'
          ${column.name === 'location' ? onePlace : ''}
          else 'write the ${by} of ${one} that exists' end
      from pg_temp.import_rows r join (${referenceQuery(kind, column)}) as found on found.given = r.${stagedAs(column)}
      where r.${targetOf(column)} is null`
  })
}
