import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()

type Stored = { id: string; item_id: string; status: string; updated_at: string; hidden: boolean }

describe('a record', () => {
  let studio: Studio
  let item_id: string
  beforeEach(async () => {
    studio = await sql.studio()
    item_id = await studio.add('items', { name: 'Tape machine' })
  })

  const one = async () => (await studio.ask('list_maintenance', 1, 50, null, null, null)).data

  test('has exactly its fields', async () => {
    const id = await studio.add('maintenance_records', {
      ...{ item_id, title: 'Alignment', maintenance_type: 'calibration', status: 'completed' },
      ...{
        scheduled_date: '2026-02-01',
        completed_date: '2026-02-03',
        cost: '120.5',
        vendor: 'ATR',
        description: 'NAB',
      },
    })
    expect((await one())?.replace(/"(created|updated)_at":"[^"]+"/g, '"$1_at":"…"')).toBe(
      `{"id":"${id}","item_id":"${item_id}","item_name":"Tape machine","title":"Alignment",` +
        `"maintenance_type":"calibration","status":"completed","scheduled_date":"2026-02-01",` +
        `"completed_date":"2026-02-03","cost":120.50,"vendor":"ATR","description":"NAB",` +
        `"created_at":"…","updated_at":"…"}`,
    )
  })

  test('is null where nothing is recorded', async () => {
    await studio.add('maintenance_records', { item_id })
    const nulls = Object.entries(JSON.parse((await one()) ?? '{}')).filter(([, value]) => value === null)
    expect(nulls.map(([name]) => name).sort()).toEqual(
      ['completed_date', 'cost', 'description', 'maintenance_type', 'scheduled_date', 'vendor'].sort(),
    )
  })
})

describe('the list', () => {
  let studio: Studio
  let items: string[]
  let stored: Stored[]

  beforeAll(async () => {
    studio = await sql.studio()
    items = []
    for (let n = 0; n < 4; n++) items.push(await studio.add('items', n === 3 ? { archived_at: new Date() } : {}))
    for (let n = 0; n < 50; n++) {
      const done = n % 3 === 0 ? { status: 'completed', completed_date: '2026-01-01' } : {}
      await studio.add('maintenance_records', { item_id: items[(n * 7) % 4], ...done })
    }
    stored = await sql.admin.rows<Stored>(
      `select id, item_id, status, item_archived as hidden,
         to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
       from app.maintenance_records m where studio_id = $1 order by m.updated_at desc, id desc`,
      [studio.id],
    )
  })

  test('of every shape selects what it says, in order, page by page, with the right total', async () => {
    const shape = fc.record({
      item: fc.option(fc.integer({ min: 0, max: 3 })),
      status: fc.option(fc.constantFrom('scheduled', 'completed')),
      since: fc.option(fc.integer({ min: 0, max: 49 })),
      perPage: fc.integer({ min: 1, max: 60 }),
      offset: fc.integer({ min: -1, max: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(shape, async ({ item, status, since, perPage, offset }) => {
        const from =
          since === null ? null : new Date(Date.parse(stored[since]?.updated_at ?? '') + offset).toISOString()
        const expected = stored
          .filter((record) => !record.hidden)
          .filter((record) => item === null || record.item_id === items[item])
          .filter((record) => status === null || record.status === status)
          .filter((record) => from === null || record.updated_at >= from)
          .map((record) => record.id)
        const found: string[] = []
        for (let page = 1; page <= Math.ceil(expected.length / perPage) + 1; page++) {
          const itemId = item === null ? null : items[item]
          const answer = await studio.ask('list_maintenance', page, perPage, itemId, status, from)
          expect(answer).toMatchObject({ status: 200, total: String(expected.length) })
          found.push(...parsed<Stored>(answer).map((record) => record.id))
        }
        expect(found).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  test('of an unknown item, or another studio’s, is empty', async () => {
    const stranger = await sql.studio()
    const theirs = await stranger.add('items')
    await stranger.add('maintenance_records', { item_id: theirs })
    for (const id of ['00000000-0000-4000-8000-000000000000', theirs]) {
      expect(await studio.ask('list_maintenance', 1, 50, id, null, null)).toMatchObject({
        status: 200,
        total: '0',
        data: '',
      })
    }
  })

  test.each(['2', '1000000', Number.MAX_SAFE_INTEGER])('a page past the end is empty: %s', async (page) => {
    for (const item of [null, items[0]]) {
      const answer = await studio.ask('list_maintenance', page, 100, item, null, null)
      expect(answer).toMatchObject({ status: 200, data: '' })
      expect(Number(answer.total)).toBeGreaterThan(0)
    }
  })

  test('an unknown status, or the star of the counters, matches nothing', async () => {
    for (const status of ['done', '*', '']) {
      for (const since of [null, '2001-01-01']) {
        const answer = await studio.ask('list_maintenance', 1, 50, null, status, since)
        expect(answer, status).toMatchObject({ status: 200, total: '0', data: '' })
      }
    }
  })
})
