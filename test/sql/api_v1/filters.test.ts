import { expect, it } from 'vitest'
import { listStatement } from '../../../src/api/list-statement.ts'
import { operations } from '../../../src/api/operations.ts'
import { gateMessage } from '../../support/gate-message.ts'
import { useSql } from '../support.ts'

const sql = useSql()

const filters = operations.flatMap(({ id, list }) =>
  list === undefined
    ? []
    : Object.entries(list.filters).map(([name, filter]) => ({ operation: id, name, list, filter })),
)

const indexes = `select i.indexrelid::regclass::text as name, array(
    select a.attname::text from unnest(i.indkey) with ordinality as k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum order by k.place) as columns
  from pg_index i
  where i.indrelid in (
    select c.relation::regclass from audit.view_columns c
    where c.view_name = $1 and (c.column_name = $2 or $3 and c.column_name in ('id', 'item_id')) and c.relation not like '%\\_counts')`

it.each(filters)('$operation reads by an index what $name selects', async ({ operation, name, list, filter }) => {
  const column = /r\.(\w+)/.exec(filter.condition)?.[1]
  const { client } = sql.admin
  const { rows } = await client.query<{ name: string; columns: string[] }>(indexes, [
    ...[list.view, column, filter.isScanned === true],
  ])
  const wrong = gateMessage({
    wrong: `no index finds what the filter ${name} selects, in the order of the list: all others would be read, too`,
    edit:
      `migrations/current.sql: an index on (studio_id, ${column}, ${list.orderBy} desc, id desc), whose "where" has no ` +
      'condition beyond those of the view and of the filter',
    run: 'npx vitest run test/sql/api_v1/filters.test.ts',
  })
  const fit = `studio_id, ${column}, ${list.orderBy}, id`
  // What is scanned is at least read in the order of the list.
  const inOrder = new RegExp(`^studio_id, ${list.orderBy}, (item_)?id`)
  const fitting = rows.filter((index) => {
    const columns = index.columns.join(', ')
    return columns.startsWith(fit) || (filter.isScanned && inOrder.test(columns))
  })
  const given = Object.fromEntries(Object.keys(list.filters).map((each) => [each, each === name ? '' : null]))
  const { statement, values } = listStatement(operation, list, {
    ...{ digest: Buffer.of(), address: null, id: null, position: null },
    values: { per_page: '1', page: '1', updated_since: null, include_sublocations: null, ...given },
  })
  const used: string[] = []
  for (const index of fitting) {
    await client.query('begin; set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan')
    // The planner sees no other index of the table.
    const hide = `update pg_index set indisvalid = false where indexrelid <> $1::regclass
      and indrelid = (select indrelid from pg_index where indexrelid = $1::regclass)`
    await client.query(hide, [index.name])
    await client.query(`set local role studio_api; prepare filtered as ${statement.text}`)
    const plan = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute filtered(${values.map(() => 'null').join(', ')})`,
    )
    const lines = plan.rows.map((row) => row['QUERY PLAN']).join('\n')
    if (lines.includes(` ${index.name.replace(/^\w+\./, '')} `)) used.push(index.name)
    await client.query('rollback; deallocate filtered')
  }
  expect(used, wrong).not.toEqual([])
})
