import type pg from 'pg'

/** A column of a view, a value that another studio has in most of its rows, and its neighbour that nobody has. */
export type Probe = { view: string; column: string; type: string; held: string; absent: string }

/** What most rows of a studio hold, for each column of each view. */
export async function findProbes(client: pg.Client, studioId: string): Promise<Probe[]> {
  await client.query(`select set_config('studio.id', $1, false)`, [studioId])
  const { rows: columns } = await client.query<{ view: string; column: string; type: string }>(
    `select c.oid::regclass::text as view, a.attname as column, a.atttypid::regtype::text as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relkind = 'v' and has_table_privilege(c.oid, 'SELECT') and a.atttypid <> 'bool'::regtype
       and c.relnamespace = (select oid from pg_namespace where nspname = 'api_v1')
     order by a.attrelid, a.attnum`,
  )
  const found: Probe[] = []
  for (const { view, column, type } of columns) {
    const { rows } = await client.query<{ held: string | null; absent: string }>(
      `select held::text, (${neighbour[type]})::text as absent
       from (select mode() within group (order by ${column}) as held from ${view}) as most`,
    )
    for (const { held, absent } of rows) if (held !== null) found.push({ view, column, type, held, absent })
  }
  return found
}

/** The value next to one that is held, so that no row lies between them. */
export const neighbour: Record<string, string> = {
  text: `held || '!'`,
  'text[]': `array[held[1] || '!']`,
  numeric: 'held + 0.01',
  bigint: 'held + 1',
  date: 'held + 1',
  'timestamp with time zone': `held + interval '1 microsecond'`,
  uuid: `left(held::text, 35) || case right(held::text, 1) when '0' then '1' else '0' end`,
}

/** Leaves out what the asking studio holds as well (its plan, its currency): there its own rows answer. */
export async function withoutOwn(client: pg.Client, held: Probe[]): Promise<Probe[]> {
  const foreign: Probe[] = []
  for (const probe of held) {
    const text = `select from ${probe.view} where ${probe.column} = $1::${probe.type}`
    const { rowCount } = await client.query(text, [probe.held])
    if (rowCount === 0) foreign.push(probe)
  }
  return foreign
}
