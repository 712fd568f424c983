import { beforeEach, describe, expect, test } from 'vitest'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
beforeEach(async () => {
  studio = await sql.studio()
})

const insert = (session: Session, category = 'Microphones') =>
  session.rows('insert into app.items (studio_id, name, category) values ($1, $2, $3)', [studio.id, 'one', category])
const totals = async () => {
  const count = (category: string | null) => studio.ask('list_items', 1, 1, category, null, null)
  return [Number((await count(null)).total), Number((await count('Microphones')).total)]
}
const noted = () => sql.admin.value('select count(*)::int from app.count_changes')

describe('totals are written once a transaction', () => {
  test('with what all of its statements changed', async () => {
    await studio.write(async (session) => {
      for (let n = 0; n < 5; n += 1) await insert(session)
      await insert(session, 'Guitars & Basses')
      await session.rows(`update app.items set archived_at = now() where category = 'Guitars & Basses'`)
    })
    expect([await totals(), await noted()]).toEqual([[5, 5], 0])
  })

  test('without what was rolled back, whole or to a savepoint', async () => {
    await studio.write(async (session) => {
      await session.rows('savepoint a')
      await insert(session)
      await session.rows('rollback to savepoint a')
      await insert(session)
      await session.rows('savepoint b')
      await insert(session)
      await session.rows('release savepoint b')
      await session.rows('savepoint c')
      await insert(session)
      await session.rows('rollback to savepoint c')
    })
    expect([await totals(), await noted()]).toEqual([[2, 2], 0])
    const failed = studio.write(async (session) => {
      await insert(session)
      await session.rows('select 1 / 0')
    })
    await expect(failed).rejects.toThrow('division by zero')
    expect([await totals(), await noted()]).toEqual([[2, 2], 0])
  })

  test('also where constraints are checked before its end, and changes follow', async () => {
    await studio.write(async (session) => {
      await insert(session)
      await session.rows('set constraints all immediate')
      await insert(session)
      await session.rows('set constraints all deferred')
      await insert(session)
    })
    expect([await totals(), await noted()]).toEqual([[3, 3], 0])
  })

  test('of each studio, when it wrote for several and has left them', async () => {
    const other = await sql.studio()
    await inStudio(sql.owner, studio, async (session) => {
      await insert(session)
      await session.rows(`select set_config('studio.id', $1, true)`, [other.id])
      await session.rows(`insert into app.items (studio_id, name) values ($1, 'theirs')`, [other.id])
      await session.rows(`select set_config('studio.id', '', true)`)
    })
    expect(await totals()).toEqual([1, 1])
    expect(Number((await other.ask('list_items', 1, 1, null, null, null)).total)).toBe(1)
  })
})
