import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { inStudio, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let ids: string[]

/** A row of locations, each inside the one before. */
beforeEach(async () => {
  studio = await sql.studio()
  ids = Array.from({ length: 4 }, () => randomUUID())
  for (const [index, id] of ids.entries()) {
    await studio.add('locations', { id, name: `Level ${index}`, parent_id: ids[index - 1] ?? null })
  }
})

const refused = { code: '23514', message: 'a location cannot be inside itself' }
const move = (id: number, parent: number) => studio.change('locations', ids[id] ?? '', { parent_id: ids[parent] })

describe('a location', () => {
  test.each([
    [0, 1],
    [0, 3],
    [1, 3],
  ])('at level %i does not become a part of the one at level %i', async (id, parent) => {
    await expect(move(id, parent)).rejects.toMatchObject(refused)
  })

  test('may be moved to where it makes no cycle', async () => {
    await move(3, 0)
    await move(1, 3)
    await expect(move(0, 1)).rejects.toMatchObject(refused)
  })

  test('is not created inside of itself by one statement with others', async () => {
    const [a, b] = [randomUUID(), randomUUID()]
    const insert = studio.write(async (session) => {
      await session.rows(
        `insert into app.locations (studio_id, id, name, parent_id) values ($1, $2, 'A', $3), ($1, $3, 'B', $2)`,
        [studio.id, a, b],
      )
    })
    await expect(insert).rejects.toMatchObject(refused)
  })

  test('is not moved into a cycle by one statement with others', async () => {
    const swap = studio.write(async (session) => {
      await session.rows(
        `update app.locations set parent_id = case id when $1 then $2::uuid else $1::uuid end where id in ($1, $2)`,
        [ids[0], ids[3]],
      )
    })
    await expect(swap).rejects.toMatchObject(refused)
  })

  test('is not more than a hundred levels below the top', async () => {
    const deep = Array.from({ length: 101 }, () => randomUUID())
    const add = studio.write(async (session) => {
      for (const [index, id] of deep.entries()) {
        await session.rows('insert into app.locations (studio_id, id, name, parent_id) values ($1, $2, $3, $4)', [
          ...[studio.id, id, 'Deep', deep[index - 1] ?? null],
        ])
      }
    })
    await add
    const last = deep.at(-1)
    await expect(studio.add('locations', { name: 'Deeper', parent_id: last })).rejects.toMatchObject({ code: '23514' })
  })
})

test.each(['read committed', 'repeatable read'])(
  'two transactions (%s) that would make a cycle together do not both commit',
  async (isolation) => {
    const [one, other] = [randomUUID(), randomUUID()]
    for (const id of [one, other]) await studio.add('locations', { id, name: 'Side by side' })
    const sessions = [await sql.connect('studio_writer'), await sql.connect('studio_writer')] as const
    for (const session of sessions) await session.rows(`set default_transaction_isolation = '${isolation}'`)
    let waiting = 0
    let go = () => {}
    const both = new Promise<void>((resolve) => {
      go = resolve
    })
    const moveTo = (session: (typeof sessions)[number], id: string, parent: string) =>
      inStudio(session, studio, async (writer) => {
        waiting += 1
        if (waiting === 2) go()
        await both
        await writer.rows('update app.locations set parent_id = $2 where id = $1', [id, parent])
      })
    const outcomes = await Promise.allSettled([moveTo(sessions[0], one, other), moveTo(sessions[1], other, one)])
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    const rows = await sql.admin.rows('select id from app.locations where id = any ($1) and parent_id is not null', [
      [one, other],
    ])
    expect(rows).toHaveLength(1)
  },
)
