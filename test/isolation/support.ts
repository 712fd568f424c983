import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { sqlState } from '../../src/database/errors.ts'
import type { LoginRole } from '../../src/database/roles.ts'
import { type Analyst, loginUrl } from '../support/cast.ts'
import type { Stage } from '../support/cast-database.ts'
import { asAdmin, type TestDatabase, withClient } from '../support/server.ts'

/** Everybody who can log in: the service's own logins, and an analyst. */
export const logins = [
  'studio_api',
  'studio_recorder',
  'studio_writer',
  'studio_console',
  'studio_graphql',
  'analyst',
] as const satisfies (LoginRole | 'analyst')[]

export type Login = (typeof logins)[number]

/** Runs `work` logged in as one of the logins; the analyst is A's. */
export function asLogin<Result>(stage: Stage, login: Login, work: (client: pg.Client) => Promise<Result>) {
  return withClient(login === 'analyst' ? stage.cast.a.analyst.url : stage.database.urlFor(login), work)
}

/** Lends a login of studio_analyst that is mapped to no studio, and drops it afterwards. */
export async function withAnalyst<Result>(
  database: TestDatabase,
  work: (analyst: Analyst) => Promise<Result>,
): Promise<Result> {
  const login = `studio_test_analyst_${randomBytes(6).toString('hex')}`
  const password = randomBytes(12).toString('hex')
  await asAdmin(database, (admin) =>
    admin.query(
      `create role ${login} login password '${password}' in role studio_analyst connection limit 9 valid until '2100-01-01';
       alter role ${login} set temp_file_limit = '1GB'; alter role ${login} set statement_timeout = '5min'`,
    ),
  )
  try {
    return await work({ login, url: loginUrl(database, login, password) })
  } finally {
    await asAdmin(database, (admin) => admin.query(`drop role ${login}`))
  }
}

/** Names of the views of api_v1 and service that this session may read. */
export async function readableViews(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name from pg_catalog.pg_class c
     join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where n.nspname in ('api_v1', 'service') and c.relkind = 'v' and has_table_privilege(c.oid, 'SELECT')
     order by 1`,
  )
  return rows.map((row) => row.name)
}

/** A value for each type of argument that a function of an analyst's has. */
const argumentsOf: Record<string, string> = {
  ...{ date: `date '2999-12-31'`, uuid: 'null', text: 'null', boolean: 'true' },
  'text[]': `'{total,value_source}'`,
}

/** The functions of api_v1 that return rows and that this session may call. Leaves out those of the
 * REST API. */
export async function readableFunctions(client: pg.Client): Promise<{ name: string; call: string }[]> {
  const { rows } = await client.query<{ name: string; types: string[] }>(
    `select 'api_v1.' || p.proname as name, array(select t::regtype::text from unnest(p.proargtypes) as t) as types
     from pg_catalog.pg_proc p
     where p.pronamespace = (select oid from pg_catalog.pg_namespace where nspname = 'api_v1')
       and p.proretset and has_function_privilege(p.oid, 'EXECUTE') order by 1`,
  )
  return rows.map(({ name, types }) => ({
    name,
    call: `${name}(${types.map((type) => argumentsOf[type]).join(', ')})`,
  }))
}

/** The rows of every view and function that this session may read, as text, by its name. */
export async function readAll(client: pg.Client): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  for (const view of await readableViews(client)) {
    const { rows } = await client.query<{ row: string }>(`select v::text as row from ${view} v order by 1`)
    all[view] = rows.map(({ row }) => row)
  }
  for (const { name, call } of await readableFunctions(client)) {
    const { rows } = await client.query<{ row: string }>(`select f::text as row from ${call} f order by 1`)
    all[name] = rows.map(({ row }) => row)
  }
  return all
}

/** Runs `look` in a transaction that may write, and rolls it back. */
export async function inDiscarded<Result>(client: pg.Client, look: () => Promise<Result>): Promise<Result> {
  await client.query('begin read write')
  try {
    return await look()
  } finally {
    await client.query('rollback')
  }
}

/** Tries a statement and rolls it back. Returns its SQLSTATE, or 'done'. */
export async function attempt(client: pg.Client, text: string): Promise<string> {
  await client.query('savepoint attempt')
  try {
    await client.query(text)
    return 'done'
  } catch (error) {
    return sqlState(error) ?? String(error)
  } finally {
    await client.query('rollback to savepoint attempt')
  }
}
