import { beforeAll, expect, test } from 'vitest'
import { items } from '../../src/importer/kinds/items.ts'
import { layoutOf } from '../../src/importer/kinds/kind.ts'
import { resolving } from '../../src/importer/references.ts'
import { writing } from '../../src/importer/write.ts'
import { type Session, type Studio, useSql } from '../sql/support.ts'
import { connectExplaining } from './explained.ts'
import { expectFewReads } from './support.ts'

// PostgreSQL plans the statements of a trigger once a session, for the first statement that the
// session runs. A plan for one row that compares each row with each takes a quarter of a minute for
// so many.
const rows = 6_000
const limit = '12s'

const sql = useSql()
let studio: Studio
let session: Session

beforeAll(async () => {
  studio = await sql.studio()
  session = await sql.connect('studio_writer')
})

async function write(text: string): Promise<void> {
  await session.begin(studio)
  await session.rows(`set local statement_timeout = '${limit}'`)
  await session.rows(text, text.includes('$1') ? [studio.id] : [])
  await session.rows('commit')
}

test('an import of known items reads each row a few times, although the table was empty when it was analysed', async () => {
  const importing = await sql.studio()
  const layout = layoutOf(
    items,
    ['external_key', 'name'].map((name) => items.columns.find((column) => column.name === name)),
  )
  const item = `insert into app.items (studio_id, external_key, name) select $1, 'K' || n, 'x' from generate_series(1, ${rows}) as n`
  await session.begin(importing)
  await session.rows(item, [importing.id])
  await session.rows('rollback')
  await sql.admin.rows('analyze app.items')
  await session.begin(importing)
  await session.rows(item, [importing.id])
  await session.rows('commit')

  const { session: writer, explain } = await connectExplaining(sql, 'studio_writer')
  await writer.begin(importing)
  await writer.rows(`select app.open_import('items')`)
  await writer.rows(`insert into pg_temp.import_rows (line, external_key, name)
    select n, 'K' || n, case when n % 2 = 0 then 'x' else 'y' end from generate_series(1, ${rows}) as n`)
  for (const statement of [...resolving(items, layout, false), ...writing(items, layout, [])]) {
    const { statements } = await explain(() => writer.rows(statement))
    expectFewReads(statements, 4 * rows)
  }
  await writer.rows('rollback')
})

test.each([
  [
    'items',
    `insert into app.items (studio_id, name) select $1, 'x' from generate_series(%, %)`,
    [`name = 'y'`, 'archived_at = now()', 'archived_at = null'],
  ],
  [
    'locations',
    `insert into app.locations (studio_id, name) select $1, 'x' from generate_series(%, %)`,
    [`name = 'y'`],
  ],
  [
    'policies',
    `insert into app.policies (studio_id, name, effective_start) select $1, 'x', date '2020-01-01' from generate_series(%, %)`,
    [`name = 'y'`, `effective_end = '2020-12-31'`],
  ],
  [
    'maintenance_records',
    `insert into app.maintenance_records (studio_id, item_id, title) select $1, (select id from app.items limit 1), 'x' from generate_series(%, %)`,
    [`title = 'y'`],
  ],
  [
    'policy_assignments',
    `insert into app.policy_assignments (studio_id, item_id, policy_id) select $1, i.id, (select id from app.policies limit 1)
    from (select id, row_number() over (order by id) as n from app.items) as i where i.n between % and %`,
    ['declared_value = 5', 'declared_value = 6'],
  ],
])(
  'a session that has written one of %s writes thousands in one statement',
  { timeout: 180_000 },
  async (table, text, changes) => {
    const inserting = (from: number, to: number) => text.replace('%', String(from)).replace('%', String(to))
    await write(inserting(1, 1))
    for (const change of changes) await write(`update app.${table} set ${change}`)
    await write(inserting(2, rows))
    for (const change of [...changes, ...changes.slice(0, 1)]) await write(`update app.${table} set ${change}`)
    const count = `select count(*)::integer from app.${table} where studio_id = $1`
    expect(await sql.admin.value<number>(count, [studio.id])).toBeGreaterThanOrEqual(rows)
  },
)
