import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogin } from '../../src/analysts/logins.ts'
import { asAdministrator, type Transaction } from '../../src/database/session.ts'
import { seedDemo } from '../../src/demo/seed.ts'
import { useFolder } from '../support/folder.ts'
import { gateMessage } from '../support/gate-message.ts'
import { asAdmin, asOwner, useDatabase, withClient } from '../support/server.ts'

const page = await readFile(join(import.meta.dirname, '../../docs/analysts.md'), 'utf8')

/** The day on which the page was written; the demo's dates are counted from it. */
const day = '2026-11-21'

type Question = { title: string; sql: string; printed: string[][] }

/** Matches an example of the page: a title in bold, the SQL, and what psql printed. */
const questions: Question[] = [
  ...page.matchAll(/^\*\*(\d+\. .+)\*\*\n\n```sql\n([^`]+)```\n\n```text\n([^`]+)```$/gm),
].map(([, title = '', sql = '', text = '']) => {
  const [headings = '', , ...lines] = text.trimEnd().split('\n')
  return { title, sql, printed: [headings, ...lines.slice(0, -1)].map(cellsOf) }
})

function cellsOf(line: string): string[] {
  return line.split('|').map((cell) => cell.trim())
}

const database = useDatabase()
const photos = useFolder()
let url: string
let login: string

beforeAll(async () => {
  await asOwner(database, (owner) =>
    owner.query(`create or replace function access.clock() returns timestamptz
      language sql stable security invoker return timestamptz '${day}T12:00:00Z'`),
  )
  const urls = { adminUrl: database.adminUrl, writerUrl: database.urlFor('studio_writer') }
  await seedDemo({ ...urls, photosDir: photos.path, now: new Date(`${day}T12:00:00Z`) })
  const made = await asAdministrator(database.adminUrl, async (transaction) => {
    const [studio] = await transaction.query<{ id: string }>(`select access.find_studio('Northlight Studios') as id`)
    const studioId = studio?.id ?? ''
    await closeOctober(transaction, studioId)
    const wanted = { studioId, userId: null, validDays: 1, connections: 2, timeout: 30 }
    return createLogin(transaction, database.adminUrl, wanted)
  })
  ;({ url, login } = made)
})
afterAll(() => asAdmin(database, (admin) => admin.query(`drop role if exists ${login}`)))

/** What is wrong, and what to do about it. */
const amiss = (wrong: string, edit: string, run = 'npx vitest run test/analysts/documents.test.ts') =>
  gateMessage({ wrong, edit, run })

/** Rows of a statement of the analyst. */
const rowsOf = <Row extends pg.QueryResultRow>(text: string) =>
  withClient(url, async (client) => (await client.query<Row>(text)).rows)

/** Closes a month in which one item was said to be insured for more than it is: a correction. */
async function closeOctober({ query }: Transaction, studio: string): Promise<void> {
  await query(`select set_config('studio.id', $1, true)`, [studio])
  await query(`update app.studios set closes_since = '2026-10-01' where id = $1`, [studio])
  const item = `studio_id = '${studio}' and id = (select id from app.items where studio_id = '${studio}' and archived_at is null and acquisition_date < '2026-10-01' order by id limit 1)`
  await query(`update app.items set reported_insured_value = reported_insured_value + 1 where ${item}`)
  await query(`select valuation.close_month(valuation.next_to_close())`)
  await query(`update app.items set reported_insured_value = reported_insured_value - 1 where ${item}`)
  await query(`select set_config('studio.id', '', true)`)
}

describe('docs/analysts.md', () => {
  it('has eleven questions, each with what psql printed', () => {
    expect(questions).toHaveLength(11)
    expect(page.match(/^```sql$/gm)).toHaveLength(11)
    for (const { title, printed } of questions) expect(printed.length, title).toBeGreaterThan(1)
  })

  it.each(questions)('$title: a real login gets the answer that is printed', async ({ sql, printed }) => {
    const answer = await withClient(url, async (client) => {
      await client.query(`set timezone = 'UTC'`)
      return client.query({ text: sql.replaceAll('current_date', `date '${day}'`), rowMode: 'array' })
    })
    const shown = (value: unknown) =>
      value === null ? '' : value === false ? 'f' : value === true ? 't' : String(value)
    const rows = answer.rows as unknown as unknown[][]
    expect([answer.fields.map(({ name }) => name), ...rows.map((row) => row.map(shown))]).toEqual(printed)
  })

  it('names every view that a login can read, and the joins that the database declares', async () => {
    const views = await rowsOf<{ name: string }>(
      `select c.relname as name from pg_class c
       where c.relnamespace = 'api_v1'::regnamespace and has_table_privilege(c.oid, 'select') order by 1`,
    )
    const listed = [...page.matchAll(/^\| `(\w+)` \|[^|]+\|([^|]*)\|$/gm)]
    const wrong = amiss('the table of views is not what a login can read and join', 'docs/analysts.md')
    expect(listed.map((match) => match[1]).toSorted(), wrong).toEqual(views.map(({ name }) => name))

    const joins = await rowsOf<{ text: string }>(
      `select format('%s %s → %s.%s', view_name, column_name, refers_to_view, refers_to_column) as text
       from relationships order by 1`,
    )
    const told = listed.flatMap(([, view, text = '']) =>
      [...text.matchAll(/`(\w+)` → `([\w.]+)`/g)].map(([, column, key]) => `${view} ${column} → ${key}`),
    )
    expect(told.toSorted(), wrong).toEqual(joins.map(({ text }) => text))
  })
})

describe('what a BI tool shows', () => {
  it('are views that answer: the schema has no other', async () => {
    const views = await rowsOf<{ name: string; readable: boolean }>(
      `select oid::regclass::text as name, has_table_privilege(oid, 'select') as readable from pg_class
       where relnamespace = 'api_v1'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') order by 1`,
    )
    const edit = 'sql/: move what only the service reads to the schema service'
    const refusing = views.filter(({ readable }) => !readable)
    expect(refusing, amiss('analysts see views that they cannot read', edit)).toEqual([])
    for (const { name } of views) await rowsOf(`select * from ${name} limit 1`)
  })

  it('is a comment for every view and every column', async () => {
    const bare = await rowsOf(
      `select c.relname || coalesce('.' || a.attname, '') as what
       from pg_class c
       cross join lateral (
         select null as attname, 0 as attnum
         union all select attname, attnum from pg_attribute where attrelid = c.oid and attnum > 0) a
       where c.relnamespace = 'api_v1'::regnamespace and has_table_privilege(c.oid, 'select')
         and coalesce(trim(case when a.attnum = 0 then obj_description(c.oid, 'pg_class')
           else col_description(c.oid, a.attnum) end), '') = ''`,
    )
    const wrong = amiss(
      'a view or a column that analysts see has no comment',
      'sql/api_v1/views/: comment on column …, and include the file in migrations/current.sql',
      "npm run commit-migration -- 'what changes'",
    )
    expect(bare, wrong).toEqual([])
  })

  it('are joins that hold: each key is unique in its view, and the column’s comment says what it joins', async () => {
    const joins = await rowsOf<Record<'view' | 'column' | 'to_view' | 'to_column', string>>(
      `select view_name as view, column_name as "column", refers_to_view as to_view, refers_to_column as to_column
       from relationships`,
    )
    expect(joins.length).toBe(11)
    for (const { view, column, to_view, to_column } of joins) {
      const found = await rowsOf(
        `select (select count(*) = count(distinct ${to_column}) from ${to_view}) as is_key,
           (select count(*) from ${view} a join ${to_view} b on a.${column} = b.${to_column}) > 0 as joins,
           (select col_description(attrelid, attnum) from pg_attribute
            where attrelid = '${view}'::regclass and attname = '${column}') like '%joins ${to_view}.${to_column}%' as says`,
      )
      expect(found, `${view}.${column}`).toEqual([{ is_key: true, joins: true, says: true }])
    }
  })
})
