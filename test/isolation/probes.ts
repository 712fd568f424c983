import type pg from 'pg'

/** A column, a value that most rows of another studio have, and one that nobody has. */
export type Probe = { view: string; column: string; type: string; present: string; absent: string }

/** A function computes these views from the session's own rows, so they read no table. */
export const computedViews = ['workings', 'depreciation_schedule', 'depreciation_years', 'corrections']

/** What most rows of a studio contain, for each column of each view. */
export async function findProbes(client: pg.Client, studioId: string): Promise<Probe[]> {
  await client.query(`select set_config('studio.id', $1, false)`, [studioId])
  const { rows: columns } = await client.query<{ view: string; column: string; type: string }>(
    `select c.oid::regclass::text as view, a.attname as column, a.atttypid::regtype::text as type
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
     where c.relkind = 'v' and has_table_privilege(c.oid, 'SELECT') and a.atttypid <> 'bool'::regtype and c.relname <> all ($1)
       and c.relnamespace in (select oid from pg_namespace where nspname in ('api_v1', 'service'))
     order by a.attrelid, a.attnum`,
    [computedViews],
  )
  const found: Probe[] = []
  for (const { view, column, type } of columns) {
    const { rows } = await client.query<{ present: string | null; absent: string }>(
      `select present::text, (${neighbour[type]})::text as absent
       from (select mode() within group (order by ${column}) as present from ${view}) as most`,
    )
    for (const { present, absent } of rows) if (present !== null) found.push({ view, column, type, present, absent })
  }
  return found
}

/** The value next to one that occurs; a text as long, as its length moves estimates. */
export const neighbour: Record<string, string> = {
  text: `left(present, -1) || '!'`,
  'text[]': `array[left(present[1], -1) || '!']`,
  numeric: 'present + 0.01',
  bigint: 'present + 1',
  integer: 'present + 1',
  date: 'present + 1',
  'timestamp with time zone': `present + interval '1 microsecond'`,
  uuid: `left(present::text, 35) || case right(present::text, 1) when '0' then '1' else '0' end`,
}

/** Leaves out values that the asking studio has, too, because its own rows match them. */
export async function withoutOwn(client: pg.Client, present: Probe[]): Promise<Probe[]> {
  const foreign: Probe[] = []
  for (const probe of present) {
    const text = `select from ${probe.view} where ${probe.column} = $1::${probe.type}`
    const { rowCount } = await client.query(text, [probe.present])
    if (rowCount === 0) foreign.push(probe)
  }
  return foreign
}
