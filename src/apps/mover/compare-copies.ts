import type { Client } from '../../database/client.ts'
import { sqlState } from '../../database/errors.ts'
import { MoveFailed, type OpenCell, rowsOf } from './cell.ts'
import { notCompared, quoted, replicated } from './tables.ts'

/** How many rows a table has of a studio, and a sum over their digests. */
type Content = { table: string; rows: number; digest: string }

/**
 * Compares every replicated row of a studio in both cells, while nobody writes.
 *
 * @param end until when (performance.now())
 * @returns how many rows there are
 * @throws MoveFailed that names the tables that differ, or when it takes too long
 */
export async function compareCopies(
  source: OpenCell,
  target: OpenCell,
  studioId: string,
  end: number,
): Promise<number> {
  const columns = await columnsOf(source.client)
  // Both have ended before an error is thrown: a session that is still busy would keep whatever comes next waiting.
  const both = await Promise.allSettled(
    [source, target].map(({ client }) => contentsOf(client, studioId, columns, end)),
  )
  const [here = [], there = []] = both.map((result) => {
    if (result.status === 'fulfilled') return result.value
    if (sqlState(result.reason) !== '57014') throw result.reason
    throw new MoveFailed(
      'the copies could not be compared in time; nothing was switched, and writes go on',
      'Give it longer with --stop-at-most.',
    )
  })
  const different = here.filter(({ rows, digest }, index) => {
    const other = there[index]
    return other?.rows !== rows || other.digest !== digest
  })
  if (different.length > 0) {
    const tables = different.map(({ table, rows }) => {
      const other = there.find((content) => content.table === table)
      return `${table} (${rows} rows and ${other?.rows ?? 0})`
    })
    throw new MoveFailed(
      `the copy differs from the studio in ${tables.join(', ')}; nothing was switched, and writes go on`,
      'Was something written to the target by hand? Abort the move, then start it again.',
    )
  }
  return here.reduce((sum, { rows }) => sum + rows, 0)
}

/** The columns of each table by their names: their order may differ between two installations. */
async function columnsOf(client: Client): Promise<Map<string, string>> {
  const rows = await rowsOf<{ table: string; columns: string[] }>(
    client,
    `select n.nspname || '.' || c.relname as table, array_agg(a.attname::text order by a.attname) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where n.nspname || '.' || c.relname = any ($1) group by 1`,
    [replicated],
  )
  return new Map(
    rows.map(({ table, columns }) => [
      table,
      columns
        .filter((column) => !notCompared[table]?.includes(column))
        .map((column) => `t."${column}"`)
        .join(', '),
    ]),
  )
}

async function contentsOf(
  client: Client,
  studioId: string,
  columns: Map<string, string>,
  end: number,
): Promise<Content[]> {
  try {
    return await digestsOf(client, studioId, columns, end)
  } finally {
    await client.query('set statement_timeout = 0').catch(() => undefined)
  }
}

async function digestsOf(
  client: Client,
  studioId: string,
  columns: Map<string, string>,
  end: number,
): Promise<Content[]> {
  const contents: Content[] = []
  for (const table of replicated) {
    await client.query(`set statement_timeout = ${Math.max(1, Math.ceil(end - performance.now()))}`)
    const [row] = await rowsOf<Omit<Content, 'table'>>(
      client,
      `select count(*)::int as rows,
         coalesce(sum(('x' || left(md5(row(${columns.get(table)})::text), 16))::bit(64)::bigint::numeric), 0)::text as digest
       from ${quoted(table)} t where t.studio_id = $1`,
      [studioId],
    )
    if (row) contents.push({ table, ...row })
  }
  return contents
}
