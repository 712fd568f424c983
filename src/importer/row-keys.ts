import type { Transaction } from '../database/session.ts'
import { quoted } from '../domain/text.ts'
import { type FileLayout, inSessionStudio, type Kind, targetOf } from './kinds/kind.ts'

/** The choice of a key that gives the rows numbers. */
export const numbered = 'none'

/** Columns of ours that could be the key: each row has a value that no other row has. */
export async function keysAmong(transaction: Transaction, kind: Kind, layout: FileLayout): Promise<string[]> {
  const columns = (kind.otherKeys ?? []).filter(layout.has)
  if (columns.length === 0) return []
  const fits = (column: string) => `count(*) > 0 and count(*) = count(distinct nullif(btrim(r.${column}), ''))
    and max(length(r.${column})) <= 200 as ${column}`
  const [found] = await transaction.query<Record<string, boolean>>(
    `select ${columns.map(fits).join(', ')} from pg_temp.import_rows r`,
  )
  return columns.filter((column) => found?.[column])
}

/** Records that the file has no key, and names the columns that could be it. */
export async function reportMissingKey(
  transaction: Transaction,
  kind: Kind,
  line: number,
  keys: readonly string[],
): Promise<void> {
  await transaction.query(
    `insert into pg_temp.import_row_errors (line, column_name, value, problem, remedy) values ($1, $2, null, $3, $4)`,
    [line, kind.key, 'is missing; it identifies each row', missingKeyRemedy(kind, keys)],
  )
}

function missingKeyRemedy(kind: Kind, keys: readonly string[]): string {
  if (kind.key !== 'external_key') return `say which column it is: --map THEIRS=${kind.key}`
  const ways = [`say which column it is: --map THEIRS=${kind.key}`]
  if (keys.length > 0) ways.push(`use a column that differs in each row: ${keys.map(asOption).join(' or ')}`)
  return [...ways, `or number them: --key ${numbered}`].join('; ')
}

export const asOption = (key: string): string => `--key ${quoted(key)}`

/** Numbers new rows, as their keys, after the studio's highest number. */
export function numberRows(kind: Kind): string {
  return `update pg_temp.import_rows as r set external_key = n.number::text
    from (
      select x.line, x.piece, row_number() over (order by x.line, x.piece) + (
        select coalesce(max(e.external_key::bigint), 0) from app.${kind.table} e
        where e.${inSessionStudio} and e.external_key ~ '^[0-9]{1,15}$') as number
      from pg_temp.import_rows x
    ) as n
    where n.line = r.line and n.piece = r.piece`
}

/** Statements that select notes on what a second import of a file without external_key would do. */
export function keyNotes(kind: Kind, layout: FileLayout, key: string | undefined): string[] {
  const [, many] = kind.nouns
  if (key === undefined) return []
  if (key !== numbered) {
    return [
      `select ${literal(
        `rows are identified by ${key}: a later import with the same key updates the rows that it knows, and adds the others`,
      )} as note`,
    ]
  }
  const targets = layout.columns.map(targetOf).filter((target) => !['external_key', 'archived_at'].includes(target))
  const alike = (rows: string) => `select ${targets.join(', ')} from ${rows}`
  return [
    `select 'rows get the numbers ' || min(r.external_key::bigint) || ' to ' || max(r.external_key::bigint) ||
       ' as their keys: a later import of the file adds all of them again; to change them, export the studio and import that'
       as note
     from pg_temp.import_rows r having count(*) > 0`,
    `select count(*) || case count(*) when 1 then ' row says' else ' different rows say' end ||
       ' the same as ${many} that the studio has already, and would be added once more' as note
     from (${alike('pg_temp.import_rows')} intersect ${alike(`app.${kind.table} e where e.${inSessionStudio}`)}) as same
     having count(*) > 0`,
  ]
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`
