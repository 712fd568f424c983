import { beforeAll, describe, expect, test } from 'vitest'
import { inStudio, insert, type Studio, useSql } from '../support.ts'

const sql = useSql()
let mine: Studio
let theirs: Studio
/** One row of each table of the other studio. */
const foreign: Record<string, string> = {}
const own: Record<string, string> = {}

beforeAll(async () => {
  mine = await sql.studio()
  theirs = await sql.studio()
  for (const [studio, ids] of [
    [mine, own],
    [theirs, foreign],
  ] as const) {
    ids.item_id = await studio.add('items')
    ids.policy_id = await studio.add('policies')
    ids.location_id = ids.parent_id = await studio.add('locations')
  }
})

const references: [table: string, column: string, others: string[]][] = [
  ['items', 'location_id', []],
  ['locations', 'parent_id', []],
  ['item_photos', 'item_id', []],
  ['maintenance_records', 'item_id', []],
  ['policy_assignments', 'item_id', ['policy_id']],
  ['policy_assignments', 'policy_id', ['item_id']],
]

describe.each(references)('app.%s.%s', (table, column, others) => {
  const columns = (id: string | undefined) => ({
    ...Object.fromEntries(others.map((other) => [other, own[other]])),
    [column]: id,
  })

  test('does not point to another studio, whoever writes', async () => {
    for (const session of [sql.writer, sql.owner, sql.admin]) {
      const adding = inStudio(session, mine, (s) => insert(s, mine.id, table, columns(foreign[column])))
      await expect(adding).rejects.toMatchObject({ code: '23503' })
      const id = await mine.add(table, columns(own[column]))
      const moving = inStudio(session, mine, (s) =>
        s.rows(`update app.${table} set ${column} = $1 where id = $2`, [foreign[column], id]),
      )
      // studio_writer may not move every reference at all
      await expect(moving).rejects.toMatchObject({ code: expect.stringMatching(/^(23503|42501)$/) })
    }
  })

  test('is refused for an id of another studio exactly as for one that does not exist', async () => {
    const refusal = async (id: string | undefined) => {
      const error = await mine
        .add(table, columns(id))
        .catch((e: { code: string; constraint: string; detail: string }) => e)
      if (typeof error === 'string') throw new Error('it was accepted')
      return { code: error.code, constraint: error.constraint, detail: error.detail.replaceAll(id ?? '', '…') }
    }
    expect(await refusal(foreign[column])).toEqual(await refusal('00000000-0000-4000-8000-000000000000'))
  })
})

test('every foreign key between the tables of a studio carries studio_id first', async () => {
  const keys = await sql.admin.rows<{ name: string; columns: string[]; target: string }>(
    `select c.conrelid::regclass || '.' || c.conname as name, c.confrelid::regclass::text as target,
       array(select a.attname::text from unnest(c.conkey) with ordinality k (n, i)
             join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by k.i) as columns
     from pg_constraint c
     where c.contype = 'f' and c.connamespace in ('app'::regnamespace, 'access'::regnamespace)`,
  )
  const shared = ['app.categories', 'access.users']
  const between = keys.filter((key) => !shared.includes(key.target))
  expect(between.length).toBeGreaterThan(15)
  expect(between.filter((key) => key.columns[0] !== 'studio_id')).toEqual([])
})

test('the same id may live in two studios, and each sees its own', async () => {
  const id = '11111111-2222-4333-8444-555555555555'
  await mine.add('items', { id, name: 'mine' })
  await theirs.add('items', { id, name: 'theirs' })
  expect(await mine.get('items', id)).toMatchObject({ name: 'mine' })
  expect(await theirs.get('items', id)).toMatchObject({ name: 'theirs' })
  expect((await mine.ask('get_item', id)).data).toContain('"name":"mine"')
  expect((await theirs.ask('get_item', id)).data).toContain('"name":"theirs"')
})

test('what is shown through another row is shown of the own studio', async () => {
  const id = '99999999-2222-4333-8444-555555555555'
  for (const [studio, name] of [
    [mine, 'mine'],
    [theirs, 'theirs'],
  ] as const) {
    await studio.add('policies', { id, name })
    await studio.add('items', { id })
    await studio.add('policy_assignments', { item_id: id, policy_id: id })
    await studio.add('item_photos', { item_id: id, storage_key: name })
  }
  const answer = async (studio: Studio) => [
    (await studio.ask('list_item_policies', id)).data,
    (await studio.ask('get_item', id)).photo_keys,
  ]
  expect(await answer(mine)).toEqual([expect.stringContaining('"policy_name":"mine"'), ['mine']])
  expect(await answer(theirs)).toEqual([expect.stringContaining('"policy_name":"theirs"'), ['theirs']])
})
