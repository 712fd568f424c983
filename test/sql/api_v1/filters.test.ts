import { beforeAll, expect, it } from 'vitest'
import { listStatement } from '../../../src/api/list-statement.ts'
import type { ListSource } from '../../../src/api/operation.ts'
import { operations } from '../../../src/api/operations.ts'
import { nodesOf, type PlanNode } from '../../plans/explained.ts'
import { settle } from '../../plans/support.ts'
import { fillStudio } from '../../support/bulk.ts'
import { gateMessage } from '../../support/gate-message.ts'
import { useSql } from '../support.ts'

const sql = useSql()

const filters = operations.flatMap(({ id, list }) =>
  list === undefined ? [] : Object.keys(list.filters).map((name) => ({ operation: id, name, list })),
)

/** The tables under a view that have a column of this name, without other tables of its joins. */
const tables = `select c.relname::text as name from pg_class c where c.oid in (
  select v.relation::regclass from audit.view_columns v
  where v.view_name = $1 and v.column_name = $2)`

beforeAll(async () => {
  const studio = await sql.studio()
  const holdings = { items: 4_000, maintenance: 2_000, policies: 1_000, locations: 100, assignedOneIn: 10 }
  await fillStudio((text, values) => sql.admin.rows(text, values), studio.id, holdings)
  await settle(sql)
})

const searchedBy = ({ search }: ListSource, name: string) => (search?.by.includes(name) ? search.view : undefined)

/** How PostgreSQL reads a list with one filter: each scan of its table, but for look-ups by the
 * primary key. */
async function scansOf(list: ListSource, name: string) {
  const { client } = sql.admin
  const session = { opens: 'access.open_session($1::bytea)', values: [Buffer.of()] }
  const { widens } = list.filters[name] ?? {}
  const given = widens ? { [name]: 'true', [widens]: '' } : { [name]: '' }
  const request = { session, id: null, position: null, values: { per_page: 1, page: 1, ...given } }
  const { statement, values } = listStatement('filtered', list, request)
  const view = searchedBy(list, name) ?? list.view
  const { rows } = await client.query<{ name: string }>(tables, [view, list.order?.by ?? 'updated_at'])
  await client.query(`savepoint before; set local role studio_api; set local plan_cache_mode = force_generic_plan;
    set local enable_seqscan = off; set local enable_sort = off; set local enable_bitmapscan = off`)
  await client.query(`prepare filtered as ${statement.text}`)
  const explain = `explain (format json) execute filtered(${values.map(() => 'null').join(', ')})`
  const [plan] = (await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(explain)).rows
  await client.query('deallocate filtered; rollback to before')
  const nodes = nodesOf(plan?.['QUERY PLAN'][0].Plan ?? { 'Node Type': 'none' })
  const isScan = (node: PlanNode) =>
    rows.some((table) => node['Relation Name'] === table.name) && !/_pkey$/.test(node['Index Name'] ?? '')
  const sorts = nodes.filter((node) => node['Node Type'].includes('Sort') && nodesOf(node).some(isScan))
  return { scans: nodes.filter(isScan), sorts }
}

/** What is wrong with it: no index finds what the filter selects, or none has all that it compares. */
async function faultsOf(list: ListSource, name: string): Promise<string[]> {
  const { condition = `r.${name}` } = list.filters[name] ?? {}
  const searches = searchedBy(list, name)
  const column = new RegExp(`\\b${/r\.(\w+)/.exec(condition)?.[1]}\\b`)
  const { scans, sorts } = await scansOf(list, name)
  const faults = sorts.map((sort) => `${sort['Node Type']}: the index does not have the order`)
  if (scans.length === 0) faults.push('the plan does not read the table')
  for (const { 'Node Type': type, 'Index Name': index, 'Index Cond': found = '', Filter: rest = '' } of scans) {
    const plan = `${type} of ${index}: Index Cond ${found}, Filter ${rest}`
    if (/service\.|api_v1\./.test(found + rest)) faults.push(`${plan}: a function is not inlined`)
    if (searches && type !== 'Index Only Scan') faults.push(`${plan}: reads the table, as no index has every column`)
    if (!searches && !column.test(found)) faults.push(`${plan}: finds other records, too`)
  }
  return faults
}

/** Runs `work` in a transaction that is rolled back. */
async function trying<Result>(work: () => Promise<Result>): Promise<Result> {
  await sql.admin.rows('begin')
  try {
    return await work()
  } finally {
    await sql.admin.rows('rollback')
  }
}

/** Where a change of a filter is written that fails, and what. */
function remedyOf(list: ListSource, name: string): string {
  const order = `${list.order?.by ?? 'updated_at'} ${list.order?.direction ?? 'desc'}, id desc`
  if (searchedBy(list, name))
    return `migrations/current.sql: drop the index on (studio_id, ${order}) and create it again, with ${name} in its "include"`
  return (
    `migrations/current.sql: an index on (studio_id, ${name}, ${order}), whose "where" has no condition beyond those of the view and of ` +
    `the filter. If the view behind ${list.view} shows ${name} as an expression, that index finds nothing: add '${name}' to search.by ` +
    `in the list's file of src/api instead, and in the migration ${name} to the "include" of the index in the order of the list`
  )
}

it.each(filters)('$operation reads by an index what $name selects', async ({ name, list }) => {
  const faults = await trying(() => faultsOf(list, name))
  const wrong = gateMessage({
    wrong: `the filter ${name} reads records that it does not select, or not in the order of the list: ${faults.join('; ')}`,
    edit: remedyOf(list, name),
    run: 'npx vitest run test/sql/api_v1/filters.test.ts',
  })
  expect(faults, wrong).toEqual([])
})
