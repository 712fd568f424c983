import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { inStudio, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let home: string

beforeEach(async () => {
  studio = await sql.studio()
  home = await defaultOf(studio)
})

const defaultOf = (of: Studio) =>
  sql.admin.value('select id from app.locations where studio_id = $1 and is_default', [of.id])

const inOneTransaction = (...texts: string[]) =>
  studio.write(async (session) => {
    for (const text of texts) await session.rows(text)
  })

const appoint = (id: string) => `update app.locations set is_default = true where id = '${id}'`
const dismiss = (id: string) => `update app.locations set is_default = false where id = '${id}'`

test('the default location is the only one, and cannot be given up without a successor', async () => {
  const next = await studio.add('locations')
  await expect(studio.add('locations', { is_default: true })).rejects.toMatchObject({ code: '23505' })
  await expect(studio.remove('locations', home)).rejects.toMatchObject({ code: '23514' })
  await expect(studio.change('locations', home, { is_default: false })).rejects.toMatchObject({ code: '23514' })
  await inOneTransaction(dismiss(home), appoint(next))
  expect(await defaultOf(studio)).toBe(next)
  await studio.remove('locations', home)
})

test('more than one location needs the Studio plan, also when the second would be the default', async () => {
  const small = await sql.studio({ plan: 'pro_insure' })
  await expect(small.add('locations')).rejects.toMatchObject({ code: 'SI402' })
  const first = await defaultOf(small)
  const work = small.write(async (session) => {
    await session.rows(dismiss(first))
    await session.rows(`insert into app.locations (studio_id, name, is_default) values ($1, 'x', true)`, [small.id])
  })
  await expect(work).rejects.toMatchObject({ code: 'SI402' })
  await sql.owner.rows(`select access.set_subscription($1, 'studio', 'canceled')`, [studio.id])
  await expect(studio.add('locations')).rejects.toMatchObject({ code: 'SI402' })
})

test('a location that is removed leaves its items and what it contained, and moves their updated_at', async () => {
  const room = await studio.add('locations')
  const rack = await studio.add('locations', { parent_id: room })
  const [inside, outside] = [await studio.add('items', { location_id: room }), await studio.add('items')]
  const rows = [
    ['locations', rack],
    ['items', inside],
    ['items', outside],
  ] as const
  const moments = () => Array.fromAsync(rows, ([table, id]) => studio.updatedAt(table, id))
  const before = await moments()
  await studio.remove('locations', room)
  expect((await moments()).map((moment, n) => moment > (before[n] ?? 0))).toEqual([true, true, false])
  expect(await studio.get('items', inside)).toMatchObject({ location_id: null })
  expect(await studio.get('locations', rack)).toMatchObject({ parent_id: null })
})

describe('a location is not inside itself', () => {
  const refused = { code: '23514', message: 'a location cannot be inside itself' }
  let ids: string[]
  /** A chain of locations, each inside the one before. */
  beforeEach(async () => {
    ids = Array.from({ length: 4 }, () => randomUUID())
    for (const [index, id] of ids.entries()) await studio.add('locations', { id, parent_id: ids[index - 1] ?? null })
  })

  test('by a move, however far, and may be moved to where it makes no cycle', async () => {
    const move = (id: number, parent: number) => studio.change('locations', ids[id] ?? '', { parent_id: ids[parent] })
    await expect(studio.change('locations', home, { parent_id: home })).rejects.toMatchObject({ code: '23514' })
    await expect(move(0, 3)).rejects.toMatchObject(refused)
    await move(3, 0)
    await move(1, 3)
    await expect(move(0, 1)).rejects.toMatchObject(refused)
  })

  test('by one statement with others, made or moved', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    const made = `insert into app.locations (studio_id, id, name, parent_id)
      values ('${studio.id}', '${a}', 'A', '${b}'), ('${studio.id}', '${b}', 'B', '${a}')`
    await expect(inOneTransaction(made)).rejects.toMatchObject(refused)
    const swapped = `update app.locations set parent_id = case id when '${ids[0]}' then '${ids[3]}'::uuid else '${ids[0]}' end
      where id in ('${ids[0]}', '${ids[3]}')`
    await expect(inOneTransaction(swapped)).rejects.toMatchObject(refused)
  })

  test('by two transactions at once', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    for (const id of [one, other]) await studio.add('locations', { id })
    const sessions = [await sql.connect('studio_writer'), await sql.connect('studio_writer')] as const
    const both = Promise.withResolvers<void>()
    let waiting = 0
    const moveTo = (session: (typeof sessions)[number], id: string, parent: string) =>
      inStudio(session, studio, async (writer) => {
        waiting += 1
        if (waiting === 2) both.resolve()
        await both.promise
        await writer.rows('update app.locations set parent_id = $2 where id = $1', [id, parent])
      })
    const outcomes = await Promise.allSettled([moveTo(sessions[0], one, other), moveTo(sessions[1], other, one)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

test('a location is not more than a hundred levels below the top', async () => {
  const deep = Array.from({ length: 101 }, () => randomUUID())
  const made = `insert into app.locations (studio_id, id, name, parent_id)
    select $1, id, 'Deep', lag(id) over (order by n) from unnest($2::uuid[]) with ordinality as made (id, n)`
  await studio.write((session) => session.rows(made, [studio.id, deep]))
  await expect(studio.add('locations', { parent_id: deep.at(-1) })).rejects.toMatchObject({ code: '23514' })
})
