import { beforeAll, describe, expect, test } from 'vitest'
import { beside } from '../../support/beside.ts'
import { inStudio, parsed, type Studio, useSql } from '../support.ts'

const sql = useSql()
const items = 10_000
let studio: Studio

beforeAll(async () => {
  studio = await sql.studio()
  await inStudio(sql.owner, studio, (session) =>
    session.rows(
      `insert into app.items (studio_id, name, category, purchase_price, updated_at)
       select $1, 'n' || n, case n % 2 when 0 then 'Microphones' else 'Guitars & Basses' end, n % 2 * 10,
         timestamptz '2026-01-01T00:00:00Z'
       from generate_series(1, ${items}) as n`,
      [studio.id],
    ),
  )
})

/** All ids that match, highest first: all have the same updated_at. */
const expected = async (where: string) =>
  (
    await sql.admin.rows<{ id: string }>(
      `select id from app.items where studio_id = $1 and ${where} order by id desc`,
      [studio.id],
    )
  ).map((row) => row.id)

const walk = async (perPage: number, ...filters: unknown[]) => {
  const found: string[] = []
  for (let page = 1; ; page++) {
    const answer = await studio.ask('list_items', page, perPage, ...filters)
    const elements = parsed<{ id: string }>(answer)
    found.push(...elements.map((item) => item.id))
    if (page * perPage >= Number(answer.total)) return found
  }
}

const shapes: [what: string, filters: unknown[], where: string][] = [
  ['unfiltered', [null, null, null], 'true'],
  ['by category', ['Microphones', null, null], `category = 'Microphones'`],
  ['by coverage state', [null, 'uninsured', null], `coverage_state = 'uninsured'`],
  ['by both', ['Guitars & Basses', 'uninsured', null], `category = 'Guitars & Basses'`],
  ['since that very moment', [null, null, '2026-01-01T00:00:00.000Z'], 'true'],
]

describe(`${items} items with the same updated_at, walked page by page`, () => {
  test.each(shapes)('%s: in a total order, each exactly once', async (_what, filters, where) => {
    expect(await walk(100, ...filters)).toEqual(await expected(where))
  })

  test('in pages of another size: the same order', async () => {
    expect(await walk(97, null, null, null)).toEqual(await expected('true'))
  })

  test('a millisecond later there is nothing', async () => {
    const answer = await studio.ask('list_items', 1, 50, null, null, '2026-01-01T00:00:00.001Z')
    expect(answer).toMatchObject({ total: '0', data: '' })
  })
})

test('total and page come from one snapshot, although items are archived and brought back all the time', async () => {
  const writer = await sql.connect('studio_writer')
  const flicker = async () => {
    for (const archived of ['now()', 'null']) {
      await inStudio(writer, studio, (s) =>
        s.rows(
          `update app.items set archived_at = ${archived} where id in (select id from app.items order by id limit 7)`,
        ),
      )
    }
  }
  await beside(flicker, async () => {
    for (let n = 0; n < 60; n++) {
      const last = Math.ceil(items / 100)
      const answer = await studio.ask('list_items', last, 100, null, null, null)
      expect(['10000', '9993']).toContain(answer.total)
      expect(parsed(answer)).toHaveLength(Number(answer.total) - (last - 1) * 100)
    }
  })
})
