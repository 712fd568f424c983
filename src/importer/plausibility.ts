import { type Accepted, acceptOption, type DoubtName, doubts } from './doubts.ts'
import { type FileLayout, inSessionStudio, type Kind, targetOf } from './kinds/kind.ts'

/** Doubts about cells that nobody needs to hear of in a row that would not change. */
const aboutCells: readonly DoubtName[] = ['years', 'error_texts', 'wrong_letters', 'comma_lists']

/** An amount is doubted if its group has at least `enough` amounts, and it is more than `times` their median. */
const enough = 8
const times = 100

/** Statements that record doubts about the rows together, and drop doubts about cells of rows that
 * would not change. They run after the existing rows are found. */
export function plausibility(
  kind: Kind,
  layout: FileLayout,
  { numbered, accepted }: { numbered: boolean; accepted: Accepted | undefined },
): string[] {
  const found = [
    ...(accepted?.has('large_amounts')
      ? []
      : layout.columns.filter(isAmount).map((column) => largeAmounts(layout, targetOf(column)))),
    ...(accepted?.has('equal_rows') ? [] : equalRows(kind, layout, numbered)),
  ]
  return [
    `delete from pg_temp.import_row_errors e using pg_temp.import_rows r
     where r.line = e.line and r.change = 'same' and e.doubt in (${aboutCells.map((name) => `'${name}'`).join(', ')})`,
    ...found.map(
      (select) => `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy, doubt) ${select}`,
    ),
  ]
}

const isAmount = ({ cell }: { cell: { reads?: string } }) => cell.reads === 'amount'

const orAccept = (remedy: string, doubt: DoubtName) =>
  `'${remedy}, or ${acceptOption(doubt)}, which ${doubts[doubt].accepted}', '${doubt}'`

/** Amounts far above those of their category in the file, as when a decimal mark was lost. */
function largeAmounts({ has }: FileLayout, amount: string): string {
  const group = has('category') ? 'category' : 'null::text'
  return `
    select r.line, '${amount}', r.${amount}::text,
      'is more than ${times} times the usual amount ' || case when m.kind is null then 'of the file' else 'of ' || m.kind end
        || ', ' || m.median, ${orAccept('correct it', 'large_amounts')}
    from (
      select ${group} as kind, percentile_disc(0.5) within group (order by x.${amount}) as median
      from pg_temp.import_rows x where x.${amount} > 0 and x.piece = 1 group by 1 having count(*) >= ${enough}
    ) as m join pg_temp.import_rows r on ${has('category') ? 'r.category = m.kind and ' : ''}r.${amount} > ${times} * m.median
    where r.change <> 'same' and r.piece = 1`
}

/** Finds rows that may be one thing twice: new keys that differ from others only in capital letters, and rows
 * that are equal but for their keys if they are numbered or have the same serial number. */
function equalRows(kind: Kind, layout: FileLayout, numbered: boolean): string[] {
  const columns = layout.columns.filter(({ name }) => name !== kind.key && name !== 'archived').map(targetOf)
  const serial = columns.includes('serial_number')
  // One sort: a join of keys that are equal in small letters would compare all pairs.
  const keys = `
    select r.line, 'external_key', r.external_key, 'is the key ' || r.first || ' in other capital letters',
      ${orAccept('write it in the same way', 'equal_rows')}
    from (
      select x.line, x.external_key, x.change, x.piece,
        first_value(x.external_key) over (partition by lower(x.external_key) collate "C" order by x.line) as first
      from (
        select x.line, x.external_key, x.change, x.piece from pg_temp.import_rows x
        union all select 0, e.external_key, null, null from app.${kind.table} e
        where e.${inSessionStudio} and e.external_key is not null
      ) as x
    ) as r
    where r.external_key <> r.first and r.change = 'new' and r.piece = 1`
  const found = numbered || kind.key !== 'external_key' ? [] : [keys]
  if (columns.length === 0 || !(numbered || serial)) return found
  return [
    ...found,
    `select r.line, null, null, 'is equal to line ' || r.first, ${orAccept('remove one of the two', 'equal_rows')}
     from (
       select x.line, x.change, min(x.line) over (partition by ${columns.map((column) => `x.${column}`).join(', ')}) as first
       from pg_temp.import_rows x where x.piece = 1${numbered ? '' : " and x.serial_number <> ''"}
     ) as r
     where r.line <> r.first and r.change <> 'same'`,
  ]
}
