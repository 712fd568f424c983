import { beforeAll, describe, expect, test } from 'vitest'
import { inStudio, insert, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let mine: Studio
let theirs: Studio
let writers: Record<string, Session>
/** One row of each table of the other studio. */
const foreign: Record<string, string> = {}
const own: Record<string, string> = {}

beforeAll(async () => {
  mine = await sql.studio()
  theirs = await sql.studio()
  writers = { studio_writer: sql.writer, studio_owner: sql.owner, 'a superuser': sql.admin }
  const both: [Studio, Record<string, string>][] = [
    [mine, own],
    [theirs, foreign],
  ]
  for (const [studio, ids] of both) {
    const item_id = await studio.add('items')
    const policy_id = await studio.add('policies')
    const location_id = await studio.add('locations')
    Object.assign(ids, { item_id, policy_id, location_id, parent_id: location_id })
    await studio.add('maintenance_records', { item_id })
    await studio.add('policy_assignments', { item_id, policy_id })
    await studio.add('item_photos', { item_id })
    await studio.market(item_id, '1')
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

  test('never points to another studio', async () => {
    for (const session of Object.values(writers)) {
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
    const refusal = (id = '') => {
      return mine.add(table, columns(id)).then(
        () => expect.fail('it was accepted'),
        ({ code, constraint, detail }) => ({ code, constraint, detail: detail.replaceAll(id, '…') }),
      )
    }
    expect(await refusal(foreign[column])).toEqual(await refusal('00000000-0000-4000-8000-000000000000'))
  })
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
  for (const [name, studio] of Object.entries({ mine, theirs })) {
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

const writable = new Set('studio_id name title item_id policy_id storage_key position value as_of status'.split(' '))
const deletable = new Set(['locations', 'maintenance_records', 'policy_assignments', 'item_photos', 'market_values'])
/** What may be written, by table. */
const harmless: Record<string, string> = {
  items: `name = 'taken'`,
  locations: `name = 'taken'`,
  policies: `name = 'taken'`,
  maintenance_records: `title = 'taken'`,
  policy_assignments: `notes = 'taken'`,
  item_photos: `storage_key = 'taken'`,
  market_values: 'value = 666',
}

const rowsOf = (table: string, studio: Studio) =>
  sql.admin.rows(`select * from app.${table} where studio_id = $1 order by 1, 2`, [studio.id])

describe.each(Object.keys(harmless))('rows of app.%s', (table) => {
  /** Copies a row to another id, for a studio. */
  const copy = async (session: Session, studio: Studio) => {
    const text = `select * from app.${table} where studio_id = $1 limit 1`
    const row = Object.entries((await sql.admin.rows(text, [studio.id]))[0] ?? {}).filter(([name]) =>
      writable.has(name),
    )
    const [names, places] = [row.map(([name]) => name), row.map((_, n) => `$${n + 1}`)]
    await session.rows(
      `insert into app.${table} (${names}) values (${places})`,
      row.map(([, value]) => value),
    )
  }

  test('cannot be written without a session, or in that of another studio', async () => {
    for (const [who, session] of Object.entries(writers)) {
      await expect(copy(session, mine), who).rejects.toMatchObject({ code: '42501' })
      const copying = inStudio(session, theirs, (s) => copy(s, mine))
      await expect(copying, who).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('of another studio are neither seen nor changed, and a superuser who sees them is refused', async () => {
    const before = await rowsOf(table, theirs)
    for (const session of [sql.writer, sql.owner]) {
      await inStudio(session, mine, async (s) => {
        expect(await s.rows(`select from app.${table} where studio_id = $1`, [theirs.id])).toEqual([])
        await s.rows(`update app.${table} set ${harmless[table]} where studio_id = $1`, [theirs.id])
        if (deletable.has(table)) await s.rows(`delete from app.${table} where studio_id = $1`, [theirs.id])
      })
    }
    for (const text of [`update app.${table} set ${harmless[table]}`, `delete from app.${table}`]) {
      const asSuperuser = inStudio(sql.admin, mine, (s) => s.rows(`${text} where studio_id = $1`, [theirs.id]))
      await expect(asSuperuser).rejects.toMatchObject({ code: '42501' })
    }
    expect(await rowsOf(table, theirs)).toEqual(before)
  })

  test('cannot be moved to another studio, from either side', async () => {
    for (const [who, session] of Object.entries(writers)) {
      for (const here of [mine, theirs]) {
        const move = inStudio(session, here, (s) =>
          s.rows(`update app.${table} set studio_id = $1 where studio_id = $2 returning 1`, [theirs.id, mine.id]),
        )
        // A login that does not see the rows cannot move any of them.
        const moved = await move.catch((error: { code?: string }) => [error.code])
        expect([[], ['42501']], `${who} in the session of ${here.id}`).toContainEqual(moved)
      }
    }
  })
})
