import fc from 'fast-check'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()

type Listed = { id: string; category: string; updated_at: string }
type Stored = { id: string; category: string; coverage_state: string | null; updated_at: string; archived: boolean }

const anywhere = ['list_items', 1, 100, null, null, null] as const

describe('an element of the list', () => {
  test('has exactly the fields of the list, in the order of the contract', async () => {
    const studio = await sql.studio()
    const location_id = await studio.add('locations')
    const id = await studio.add('items', {
      ...{ name: 'U 87', manufacturer: 'Neumann', model: 'Ai', serial_number: '0815', barcode: '4242' },
      ...{ category: 'Microphones', tags: ['vocal', 'large "diaphragm"'], purchase_price: '2999.9', location_id },
      ...{ acquisition_date: '2020-02-29', depreciation_method: 'straight_line', reported_insured_value: 2500 },
    })
    await studio.market(id, '1', '2026-01-02T03:04:05.678Z')
    const { data } = await studio.ask(...anywhere)
    expect(data?.replace(/"(created|updated)_at":"[^"]+"/g, '"$1_at":"…"')).toBe(
      `{"id":"${id}","name":"U 87","manufacturer":"Neumann","model":"Ai","serial_number":"0815","barcode":"4242",` +
        `"category":"Microphones","tags":["vocal","large \\"diaphragm\\""],"purchase_price":2999.90,` +
        `"acquisition_date":"2020-02-29","depreciation_method":"straight_line",` +
        `"market_value_as_of":"2026-01-02T03:04:05.678Z","reported_insured_value":2500.00,` +
        `"location_id":"${location_id}","created_at":"…","updated_at":"…"}`,
    )
    expect(data).toMatch(/"updated_at":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"/)
  })

  test('is null only where the contract allows it', async () => {
    const studio = await sql.studio()
    await studio.add('items')
    const [item] = parsed(await studio.ask(...anywhere))
    const nulls = Object.entries(item ?? {}).filter(([, value]) => value === null)
    expect(nulls.map(([name]) => name).sort()).toEqual(['acquisition_date', 'location_id', 'market_value_as_of'])
  })
})

test('a studio without items is answered with nothing, not an error', async () => {
  const studio = await sql.studio()
  expect(await studio.ask(...anywhere)).toMatchObject({ status: 200, total: '0', data: '' })
})

test('archived items are in no list and no total, and come back', async () => {
  const studio = await sql.studio()
  const [kept, archived] = [await studio.add('items'), await studio.add('items')]
  const ids = async (...filters: unknown[]) => {
    const answer = await studio.ask('list_items', 1, 100, ...filters)
    expect(answer.total).toBe(String(parsed(answer).length))
    return parsed<Listed>(answer).map((item) => item.id)
  }
  await studio.change('items', archived, { archived_at: '2026-01-01T00:00:00Z' })
  for (const filters of [
    [null, null, null],
    [null, null, '2001-01-01'],
    ['Other / Uncategorised', null, null],
    [null, 'value_unknown', '2001-01-01'],
    ['Other / Uncategorised', 'value_unknown', null],
  ]) {
    expect(await ids(...filters)).toEqual([kept])
  }
  await studio.change('items', archived, { archived_at: null })
  expect(await ids(null, null, null)).toEqual([archived, kept])
})

describe('filters', () => {
  let studio: Studio
  let stored: Stored[]

  beforeAll(async () => {
    studio = await sql.studio()
    const categories = ['Microphones', 'Outboard — Dynamics & EQ', 'Other / Uncategorised']
    for (let n = 0; n < 60; n++) {
      await studio.add('items', {
        category: categories[n % 3],
        purchase_price: n % 4 === 0 ? 0 : 100,
        reported_insured_value: [0, 50, 100, 0][n % 4],
        archived_at: n % 10 === 9 ? new Date() : null,
      })
    }
    const some = await sql.admin.rows<{ id: string }>('select id from app.items where studio_id = $1 limit 5', [
      studio.id,
    ])
    await inStudio(sql.owner, studio, (s) =>
      s.rows('delete from app.item_valuations where item_id = any ($1)', [some.map((row) => row.id)]),
    )
    stored = await sql.admin.rows<Stored>(
      `select id, category, coverage_state, archived_at is not null as archived,
         to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
       from app.items where studio_id = $1 order by app.items.updated_at desc, id desc`,
      [studio.id],
    )
  })

  test('of every shape select what they say, in order, page by page, with the right total', async () => {
    const shape = fc.record({
      category: fc.option(fc.constantFrom('Microphones', 'Outboard — Dynamics & EQ', 'Guitars & Basses')),
      state: fc.option(fc.constantFrom('fully_covered', 'under_covered', 'uninsured', 'value_unknown')),
      since: fc.option(fc.integer({ min: 0, max: 59 })),
      perPage: fc.integer({ min: 1, max: 100 }),
      offset: fc.integer({ min: -1, max: 1 }),
    })
    await fc.assert(
      fc.asyncProperty(shape, async ({ category, state, since, perPage, offset }) => {
        const from =
          since === null ? null : new Date(Date.parse(stored[since]?.updated_at ?? '') + offset).toISOString()
        const expected = stored
          .filter((item) => !item.archived)
          .filter((item) => category === null || item.category === category)
          .filter((item) => state === null || item.coverage_state === state)
          .filter((item) => from === null || item.updated_at >= from)
          .map((item) => item.id)
        const found: string[] = []
        for (let page = 1; page <= Math.ceil(expected.length / perPage) + 1; page++) {
          const answer = await studio.ask('list_items', page, perPage, category, state, from)
          expect(answer).toMatchObject({ status: 200, total: String(expected.length) })
          found.push(...parsed<Listed>(answer).map((item) => item.id))
        }
        expect(found).toEqual(expected)
      }),
      { numRuns: 120 },
    )
  })

  test.each([
    'microphones',
    'MICROPHONES',
    'Microphones ',
    ' Microphones',
    'Microphone%',
    'Outboard - Dynamics & EQ',
    'Other / Uncategorized',
    '',
    '*',
  ])('an unknown category %j matches nothing, with and without updated_since', async (category) => {
    for (const since of [null, '2001-01-01']) {
      for (const state of [null, 'uninsured']) {
        const answer = await studio.ask('list_items', 1, 50, category, state, since)
        expect(answer).toMatchObject({ status: 200, total: '0', data: '' })
      }
    }
  })
})

describe('a page past the end', () => {
  let studio: Studio
  beforeEach(async () => {
    studio = await sql.studio()
    for (let n = 0; n < 5; n++) await studio.add('items')
  })

  test.each(['2', '3', '1000', '9007199254740993', Number.MAX_SAFE_INTEGER])(
    'is empty and keeps its total: page %s',
    async (page) => {
      for (const [perPage, since] of [
        [5, null],
        [100, '2001-01-01'],
      ]) {
        const answer = await studio.ask('list_items', page, perPage, null, null, since)
        expect(answer).toMatchObject({ status: 200, total: '5', data: '' })
      }
    },
  )

  test('begins exactly behind the last item', async () => {
    const sizes = async (perPage: number) => {
      const pages: number[] = []
      for (let page = 1; page <= 4; page++) {
        pages.push(parsed(await studio.ask('list_items', page, perPage, null, null, null)).length)
      }
      return pages
    }
    expect(await sizes(2)).toEqual([2, 2, 1, 0])
    expect(await sizes(5)).toEqual([5, 0, 0, 0])
    expect(await sizes(1)).toEqual([1, 1, 1, 1])
  })
})
