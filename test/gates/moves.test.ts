import { afterAll, beforeAll, expect, it } from 'vitest'
import { copiedAtSwitch, copiedSpecially, notCompared, notMoved, replicated } from '../../src/apps/mover/tables.ts'
import { gateMessage } from '../support/gate-message.ts'
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/server.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const namesOf = (text: string) =>
  asAdmin(database, async (admin) => (await admin.query<{ name: string }>(text)).rows.map(({ name }) => name))

const wrong = (what: string) =>
  gateMessage({ wrong: what, edit: 'src/apps/mover/tables.ts', run: 'npx vitest run test/gates' })

const tables = `select c.oid, n.nspname || '.' || c.relname as name
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname in ('app', 'access') and c.relkind in ('r', 'p')`

it('every table moves with a studio, or has a reason not to', async () => {
  const known = [
    ...replicated,
    ...copiedAtSwitch.map(({ table }) => table),
    ...Object.keys(copiedSpecially),
    ...Object.keys(notMoved),
  ]
  expect(known.toSorted(), wrong('a move does not know a table')).toEqual(
    (await namesOf(`${tables} order by 2`)).toSorted(),
  )
  expect(new Set(known).size).toBe(known.length)
})

it('what is replicated has a primary key that begins with studio_id', async () => {
  const keyed = await namesOf(
    `select t.name from (${tables}) t
     join pg_index i on i.indrelid = t.oid and i.indisprimary
     join pg_attribute a on a.attrelid = t.oid and a.attnum = i.indkey[0] and a.attname = 'studio_id'`,
  )
  expect(replicated.filter((table) => !keyed.includes(table))).toEqual([])
})

it('every column that names a user is known, so that it names the same person in the other cell', async () => {
  const naming = await namesOf(
    `select distinct t.name || '.' || a.attname as name from (${tables}) t
     join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.atttypid = 'uuid'::regtype
     left join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' and a.attnum = any (k.conkey)
     where a.attname ~ '(user_id|_by)$' or k.confrelid = 'access.users'::regclass`,
  )
  const known = [
    ...copiedAtSwitch.flatMap(({ table, users }) => users.map((column) => `${table}.${column}`)),
    'app.policies.owner_user_id',
    'access.analyst_logins.user_id',
    'access.analyst_log.user_id',
    ...Object.keys(notMoved).map((table) => `${table}.user_id`),
  ]
  expect(
    naming.filter((column) => !known.includes(column)),
    wrong('a move does not know a column that names a user'),
  ).toEqual([])
})

it('what the API writes to is refused while a move has stopped the writes', async () => {
  const guarded = await namesOf(
    `select distinct t.name from (${tables}) t join pg_trigger g on g.tgrelid = t.oid and g.tgname = 'a_accept'`,
  )
  /** Written by what writes to the others alone, in their transactions. */
  const following = ['app.item_counts', 'app.maintenance_counts', 'app.data_versions', 'app.removals']
  const moved = [...replicated, ...copiedAtSwitch.map(({ table }) => table), 'access.analyst_logins']
  expect(moved.filter((table) => !following.includes(table)).toSorted()).toEqual(guarded.toSorted())
})

it('columns that are not compared are there, and a trigger computes them in the target', async () => {
  for (const [table, columns] of Object.entries(notCompared)) {
    expect(columns).toEqual(['document'])
    const always = await namesOf(
      `select tgname::text as name from pg_trigger where tgrelid = '${table}'::regclass and tgenabled = 'A'`,
    )
    expect(always).toContain('d_store_document')
  }
})
