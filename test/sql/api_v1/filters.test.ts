import { expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import { gateMessage } from '../../support/gate-message.ts'
import { useSql } from '../support.ts'

const sql = useSql()

const filters = operations.flatMap(({ id, list }) =>
  list === undefined
    ? []
    : Object.entries(list.filters).map(([name, filter]) => ({ operation: id, name, list, filter })),
)

const indexes = `select array(
    select a.attname::text from unnest(i.indkey) with ordinality as k (attnum, place)
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum order by k.place) as columns
  from pg_index i
  where i.indrelid in (
    select c.relation::regclass from audit.view_columns c
    where c.view_name = $1 and (c.column_name = $2 or $3 and c.column_name in ('id', 'item_id')) and c.relation not like '%\\_counts')`

it.each(filters)('$operation reads by an index what $name selects', async ({ name, list, filter }) => {
  const column = /r\.(\w+)/.exec(filter.condition)?.[1]
  const { rows } = await sql.admin.client.query<{ columns: string[] }>(indexes, [
    ...[list.view, column, filter.isScanned === true],
  ])
  const found = rows.map(({ columns }) => columns.join(', '))
  const wrong = gateMessage({
    wrong: `no index finds what the filter ${name} selects, in the order of the list: all others would be read, too`,
    edit: `migrations/current.sql: an index on (studio_id, ${column}, ${list.orderBy} desc, id desc)`,
    run: 'npx vitest run test/sql/api_v1/filters.test.ts',
  })
  const fit = `studio_id, ${column}, ${list.orderBy}, id`
  // What is scanned is at least read in the order of the list.
  const inOrder = new RegExp(`^studio_id, ${list.orderBy}, (item_)?id`)
  expect(
    found.filter((columns) => columns.startsWith(fit) || (filter.isScanned && inOrder.test(columns))),
    wrong,
  ).not.toEqual([])
})
