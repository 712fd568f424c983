import type pg from 'pg'
import { describe, expect, it } from 'vitest'
import { useCast } from '../support/cast-database.ts'
import { asAdmin, asRole, withClient } from '../support/server.ts'
import { attempt, inDiscarded, readableViews } from './support.ts'

const stage = useCast()

const exposedRoles = [
  ...['studio_api', 'studio_recorder', 'studio_writer', 'studio_console', 'studio_graphql'],
  ...['studio_analyst', 'studio_auditor'],
]

it('privileges on columns omit hidden columns: only the writer reads what it writes', async () => {
  await asAdmin(stage.database, async (admin) => {
    const { rows: hidden } = await admin.query<{ relation: string; column_name: string }>(
      'select relation, column_name from audit.hidden_columns',
    )
    expect(hidden).toContainEqual({ relation: 'app.policies', column_name: 'notes' })
    const readable = await privileges(admin)
    for (const { relation, column_name: column } of hidden) {
      const readers = readable
        .filter((line) => `${line} `.includes(` SELECT ${relation} ${column === '*' ? '' : `${column} `}`))
        .map((line) => line.split(' ')[0])
      const why = `${relation} ${column} is to be shown to nobody: take it out of the view, or of audit.hidden_columns`
      expect(readers, why).toEqual(relation.startsWith('access.') || column === '*' ? [] : ['studio_writer'])
    }
  })
})

/** Ways to a hidden column or table that are not a plain SELECT on a view. */
const roads = [
  'select notes from api_v1.policies',
  'select p.owner_user_id from api_v1.policies p',
  'select (p).notes from api_v1.policies p',
  'select studio_id from api_v1.items',
  'select * from app.policies',
  'table app.policy_assignments',
  'select p from app.policies p',
  'select count(*) from app.items where archived_at is not null',
  'select xmin, ctid from app.items',
  'copy app.policies to stdout',
  'copy (select * from app.policies) to stdout',
  'select digest from access.tokens',
  'select * from access.analyst_logins',
  'select email from access.users',
  `select access.list_tokens('00000000-0000-0000-0000-000000000000')`,
  'select * from access.current_account()',
  'select * from service.item_photos',
  'select * from service.item_documents',
  'select jsonb_populate_record(null::app.policies, to_jsonb(p)) from api_v1.policies p',
  `select query_to_xml('select * from app.policies', true, false, '')`,
  `select query_to_xml('select notes from api_v1.policies', true, false, '')`,
  `select query_to_xmlschema('select * from app.policies', true, false, '')`,
  ...['app.policies', 'app.policy_assignments', 'app.items', 'access.tokens'].flatMap((name) => [
    `select table_to_xml((${oidOf(name)})::regclass, true, false, '')`,
    `select table_to_xml_and_xmlschema((${oidOf(name)})::regclass, true, false, '')`,
  ]),
  `select ts_stat('select to_tsvector(notes) from app.policies')`,
  'select * from pg_catalog.pg_statistic',
  'select * from pg_catalog.pg_authid',
  `select pg_read_file('postgresql.conf')`,
]

/** A login may ask these, but the answers have nothing that is hidden. */
const emptyRoads = [
  `select schema_to_xml('app', true, false, '')::text as seen`,
  `select schema_to_xml('access', true, false, '')::text as seen`,
  `select to_jsonb(s) as seen from pg_catalog.pg_stats s where schemaname in ('app', 'access')`,
  `select to_jsonb(s) as seen from pg_catalog.pg_stats_ext s where schemaname in ('app', 'access')`,
  `select query as seen from pg_catalog.pg_stat_activity`,
  `select database_to_xml(true, false, '')::text as seen`,
]

describe('an analyst', () => {
  it('reads of each view exactly its columns, as a whole row too', async () => {
    await withClient(stage.cast.a.analyst.url, async (client) => {
      for (const view of await readableViews(client)) {
        const { rows } = await client.query(
          `select to_jsonb(v) as json, v::text as row, v as whole, (select array_agg(attname::text) from pg_attribute
             where attrelid = '${view}'::regclass and attnum > 0) as columns
           from ${view} v`,
        )
        expect(rows.length).toBeGreaterThan(0)
        for (const row of rows) expect(Object.keys(row.json).toSorted(), view).toEqual(row.columns.toSorted())
        stage.cast.expectNoCanary(JSON.stringify(rows))
      }
    })
  })

  it('is denied every other road', async () => {
    await withClient(stage.cast.a.analyst.url, (client) =>
      inDiscarded(client, async () => {
        for (const text of roads) expect(await attempt(client, text), text).toBeOneOf(denials)
      }),
    )
  })

  it('learns nothing by what may be asked', async () => {
    // Runs another login's statement, which pg_stat_activity would show.
    await withClient(stage.cast.b.analyst.url, async (other) => {
      await other.query(`select '${stage.cast.canary}'`)
      await withClient(stage.cast.a.analyst.url, async (client) => {
        for (const text of emptyRoads) {
          const answer = await client.query(text).then(
            ({ rows }) => JSON.stringify(rows),
            (error: Error) => JSON.stringify({ ...error, message: error.message }),
          )
          stage.cast.expectNoCanary(answer)
          if (text.includes('pg_stats')) expect(answer, text).toBe('[]')
        }
      })
    })
  })
})

it('the REST pool is denied them too, in A’s session', async () => {
  await asRole(stage.database, 'studio_api', (client) =>
    inDiscarded(client, async () => {
      await client.query(`select set_config('studio.id', $1, true)`, [stage.cast.a.id])
      const some = roads.filter((road) => !/service.item_(photos|documents)|current_account/.test(road))
      for (const text of some) expect(await attempt(client, text), text).toBeOneOf(denials)
    }),
  )
})

/** Not allowed; no such column; no such function for these arguments; a server without XML. */
const denials = ['42501', '42703', '42883', '0A000']

function oidOf(name: string): string {
  const [schema, table] = name.split('.')
  return `select c.oid from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where n.nspname = '${schema}' and c.relname = '${table}'`
}

/** Every privilege of an exposed role on a column, as "role SELECT schema.table column". */
async function privileges(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query<{ line: string }>(
    `select concat_ws(' ', role, privilege, n.nspname || '.' || c.relname, a.attname) as line
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     cross join unnest($1::text[]) as role
     cross join unnest(array['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) as privilege
     where n.nspname in ('app', 'access') and c.relkind in ('r', 'v', 'm', 'p', 'f')
       and has_column_privilege(role, c.oid, a.attnum, privilege)
     order by 1`,
    [exposedRoles],
  )
  expect(rows.length).toBeGreaterThan(100)
  return rows.map(({ line }) => line)
}
