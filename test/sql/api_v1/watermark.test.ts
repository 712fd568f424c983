import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askWith, inStudio, insert, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
let studio: Studio
let item: string

/** What polls leave out, and the moments of three rows: before, at and after the watermark. */
const mark = '2026-05-05T12:00:00.000Z'
const [before, at, after] = ['2026-05-05T11:59:59.999Z', mark, '2026-05-05T12:00:00.001Z']
/** As PostgreSQL writes it. */
const shownMark = '2026-05-05 12:00:00+00'
const ids = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`)

/** A watermark of our own: no transaction is older than this heartbeat. */
const setWatermark = async (moment: string | null) => {
  await sql.owner.rows('delete from app.heartbeats')
  if (moment !== null) await sql.owner.rows(`insert into app.heartbeats (xid, at) values ('1', $1)`, [moment])
}

beforeAll(async () => {
  studio = await sql.studio()
  item = await studio.add('items')
  await inStudio(sql.admin, studio, async (session) => {
    for (const table of ['items', 'locations']) {
      await session.rows(`alter table app.${table} disable trigger user`)
      await session.rows(`update app.${table} set updated_at = '2020-01-01' where studio_id = $1`, [studio.id])
      await session.rows(`alter table app.${table} enable trigger user`)
    }
    for (const [n, moment] of [before, at, after].entries()) {
      const row = { id: ids[n], updated_at: moment }
      await insert(session, studio.id, 'items', { ...row, category: 'Microphones', purchase_price: 1 })
      await insert(session, studio.id, 'locations', row)
      await insert(session, studio.id, 'maintenance_records', { ...row, item_id: item })
      await insert(session, studio.id, 'policies', { ...row, effective_start: '2024-01-01' })
      const removal = { id: ids[n], removed_at: moment, resource: 'item', reason: 'deleted' }
      await insert(session, studio.id, 'removals', removal)
    }
    await session.rows(`update app.sync_state set removals_since = '2000-01-01'`)
  })
})
beforeEach(() => setWatermark(mark))

type List = [what: string, operation: string, filters: () => unknown[]]
const lists: List[] = [
  ['items', 'list_items', () => [null, null]],
  ['items of a category', 'list_items', () => ['Microphones', null]],
  ['items in a coverage state', 'list_items', () => [null, 'uninsured']],
  ['items of both', 'list_items', () => ['Microphones', 'uninsured']],
  ['locations', 'list_locations', () => []],
  ['maintenance', 'list_maintenance', () => [null, null]],
  ['maintenance of a status', 'list_maintenance', () => [null, 'scheduled']],
  ['maintenance of an item', 'list_maintenance', () => [item, null]],
  ['policies', 'list_policies', () => []],
  ['removals', 'list_removals', () => []],
]

const ask = ([, operation, filters]: List, since: string | null, page = 1, perPage = 50) =>
  askWith(sql.api, operation, studio.digest, page, perPage, ...filters(), since)

describe.each(lists)('%s', (...list) => {
  const found = async (since: string | null) => {
    const answer = await ask(list, since)
    const rows = parsed<{ id: string }>(answer).map(({ id }) => id)
    return { ids: rows.filter((id) => ids.includes(id)).toSorted(), rows: rows.length, answer }
  }

  test('with updated_since: what is at or after the watermark is left out, of the total too; no version', async () => {
    const { ids: shown, answer, rows } = await found('2021-01-01')
    expect(shown).toEqual([ids[0]])
    expect([Number(answer.total), rows]).toEqual([1, 1])
    expect(answer).toMatchObject({ status: 200, version: null, has_more: false, watermark: shownMark })
  })

  test('without updated_since: everything is shown at once, and has a version', async () => {
    const { ids: shown, answer, rows } = await found(null)
    expect(shown).toEqual(ids)
    expect(Number(answer.total)).toBe(rows)
    expect(answer.version).not.toBeNull()
  })

  test('when nothing is left out there is a version', async () => {
    await setWatermark('2026-05-05T12:00:00.002Z')
    const { ids: shown, answer } = await found('2021-01-01')
    expect(shown).toEqual(ids)
    expect(answer.version).not.toBeNull()
  })

  test('what was left out is found by who asks next since the watermark, and since the newest that was shown', async () => {
    await setWatermark('2026-05-05T12:00:00.002Z')
    expect((await found(mark)).ids).toEqual([ids[1], ids[2]])
    expect((await found(before)).ids).toEqual(ids)
  })

  test('page by page the same is left out, and the last page says that it is', async () => {
    await setWatermark(after)
    const pages = await Array.fromAsync([1, 2, 3], (page) => ask(list, '2021-01-01', page, 1))
    const rows = pages.map((answer) => parsed<{ id: string }>(answer).map(({ id }) => id))
    expect(rows.flat().toSorted()).toEqual([ids[0], ids[1]])
    expect(rows[2]).toEqual([])
    expect(pages.map(({ total, has_more, version }) => [total, has_more, version])).toEqual([
      ['2', true, null],
      ['2', false, null],
      ['2', false, null],
    ])
  })

  test('without a heartbeat the list omits nothing and has no watermark', async () => {
    await setWatermark(null)
    const { ids: shown, answer } = await found('2021-01-01')
    expect(shown).toEqual(ids)
    expect(answer.watermark).toBeNull()
    expect(answer.version).not.toBeNull()
  })
})
