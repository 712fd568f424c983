import { beforeEach, describe, expect, test } from 'vitest'
import { type Plan, type Studio, useSql } from '../support.ts'

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

describe('the default location', () => {
  test('is the only one', async () => {
    const second = await studio.add('locations')
    await expect(studio.add('locations', { is_default: true })).rejects.toMatchObject({ code: '23505' })
    await expect(studio.change('locations', second, { is_default: true })).rejects.toMatchObject({ code: '23505' })
  })

  test('cannot be deleted', async () => {
    await studio.add('locations')
    await expect(studio.remove('locations', home)).rejects.toMatchObject({ code: '23514' })
  })

  test('cannot be unset without a successor', async () => {
    await studio.add('locations')
    await expect(studio.change('locations', home, { is_default: false })).rejects.toMatchObject({ code: '23514' })
    expect(await defaultOf(studio)).toBe(home)
  })

  test('hands over to a successor in one transaction, and can be deleted then', async () => {
    const next = await studio.add('locations')
    await inOneTransaction(dismiss(home), appoint(next))
    expect(await defaultOf(studio)).toBe(next)
    await studio.remove('locations', home)
    await expect(studio.remove('locations', next)).rejects.toMatchObject({ code: '23514' })
  })
})

describe('more than one location', () => {
  test.each<Plan>(['pro', 'pro_insure'])('needs the Studio plan: %s is refused', async (plan) => {
    const small = await sql.studio({ plan })
    await expect(small.add('locations')).rejects.toMatchObject({ code: 'SI402' })
  })

  test('cannot be had on Pro by making the second one the default', async () => {
    const small = await sql.studio({ plan: 'pro' })
    const first = await defaultOf(small)
    const work = small.write(async (session) => {
      await session.rows(dismiss(first))
      await session.rows(`insert into app.locations (studio_id, name, is_default) values ($1, 'x', true)`, [small.id])
    })
    await expect(work).rejects.toMatchObject({ code: 'SI402' })
  })

  test('is refused to a studio whose plan has lapsed', async () => {
    await sql.owner.rows(`select access.set_subscription($1, 'studio', 'canceled')`, [studio.id])
    await expect(studio.add('locations')).rejects.toMatchObject({ code: 'SI402' })
  })
})

describe('what a location may hold', () => {
  test.each([
    ['type', 'Room'],
    ['type', ''],
    ['country_code', 'de'],
    ['country_code', 'DEU'],
    ['country_code', ''],
    ['name', ''],
  ])('not %s %j', async (column, value) => {
    await expect(studio.add('locations', { [column]: value })).rejects.toMatchObject({ code: '23514' })
  })

  test('not itself as its parent', async () => {
    await expect(studio.change('locations', home, { parent_id: home })).rejects.toMatchObject({ code: '23514' })
  })
})

describe('a location that is removed', () => {
  test('leaves its items without location, and moves their updated_at', async () => {
    const room = await studio.add('locations')
    const [inside, outside] = [await studio.add('items', { location_id: room }), await studio.add('items')]
    const before = [await studio.updatedAt('items', inside), await studio.updatedAt('items', outside)]
    await studio.remove('locations', room)
    expect(await studio.get('items', inside)).toMatchObject({ location_id: null })
    expect(await studio.updatedAt('items', inside)).toBeGreaterThan(before[0] ?? 0)
    expect(await studio.updatedAt('items', outside)).toBe(before[1])
  })

  test('leaves what it contained without parent, and moves their updated_at', async () => {
    const room = await studio.add('locations')
    const rack = await studio.add('locations', { parent_id: room })
    const before = await studio.updatedAt('locations', rack)
    await studio.remove('locations', room)
    expect(await studio.get('locations', rack)).toMatchObject({ parent_id: null })
    expect(await studio.updatedAt('locations', rack)).toBeGreaterThan(before)
  })
})
