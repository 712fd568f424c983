import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inStudio, type Session, type Studio, useSql } from '../support.ts'

const sql = useSql()
let mine: Studio
let theirs: Studio

const tables = [
  'items',
  'locations',
  'policies',
  'maintenance_records',
  'policy_assignments',
  'item_photos',
  'market_values',
] as const

beforeAll(async () => {
  mine = await sql.studio()
  theirs = await sql.studio()
  for (const studio of [mine, theirs]) {
    const item_id = await studio.add('items')
    const policy_id = await studio.add('policies')
    await studio.add('locations')
    await studio.add('maintenance_records', { item_id })
    await studio.add('policy_assignments', { item_id, policy_id })
    await studio.add('item_photos', { item_id })
    await studio.market(item_id, '1')
  }
})

let writers: [name: string, session: Session][]
beforeEach(() => {
  writers = [
    ['studio_writer', sql.writer],
    ['studio_owner', sql.owner],
    ['a superuser', sql.admin],
  ]
})

const rowsOf = (table: string, studio: Studio) =>
  sql.admin.rows(`select * from app.${table} where studio_id = $1 order by 1, 2`, [studio.id])

describe.each(tables)('rows of app.%s', (table) => {
  /** A copy of a row under another id, for a studio. */
  const copy = async (session: Session, studio: Studio) => {
    const [row] = await sql.admin.rows<Record<string, unknown>>(
      `select * from app.${table} where studio_id = $1 limit 1`,
      [studio.id],
    )
    const names = Object.keys(row ?? {}).filter((name) => writable.has(name))
    const values = names.map((name) => row?.[name])
    const places = names.map((_, n) => `$${n + 1}`)
    await session.rows(`insert into app.${table} (${names.join(', ')}) values (${places.join(', ')})`, values)
  }

  test('are written without a session by nobody', async () => {
    for (const [who, session] of writers) {
      await expect(copy(session, mine), who).rejects.toMatchObject({ code: '42501' })
    }
  })

  test('are written in the session of another studio by nobody', async () => {
    for (const [who, session] of writers) {
      await expect(
        inStudio(session, theirs, (s) => copy(s, mine)),
        who,
      ).rejects.toMatchObject({ code: '42501' })
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

  test('do not change studios, whoever moves them and from whichever side', async () => {
    for (const [who, session] of writers) {
      for (const here of [mine, theirs]) {
        const move = inStudio(session, here, (s) =>
          s.rows(`update app.${table} set studio_id = $1 where studio_id = $2 returning 1`, [theirs.id, mine.id]),
        )
        // Whoever does not even see the rows moves none of them.
        const moved = await move.catch((error: { code?: string }) => [error.code])
        expect([[], ['42501']], `${who} in the session of ${here.id}`).toContainEqual(moved)
      }
    }
  })
})

const writable = new Set('studio_id name title item_id policy_id storage_key position value as_of status'.split(' '))
const deletable = new Set(['locations', 'maintenance_records', 'policy_assignments', 'item_photos', 'market_values'])
const harmless: Record<string, string> = {
  items: `name = 'taken'`,
  locations: `name = 'taken'`,
  policies: `name = 'taken'`,
  maintenance_records: `title = 'taken'`,
  policy_assignments: `notes = 'taken'`,
  item_photos: `storage_key = 'taken'`,
  market_values: 'value = 666',
}
