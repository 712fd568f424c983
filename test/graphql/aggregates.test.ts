import { beforeAll, describe, expect, test } from 'vitest'
import { asRole } from '../support/server.ts'
import { useGraphql } from './support.ts'

const world = useGraphql()

beforeAll(async () => {
  // Floating-point numbers get these sums wrong, and a month has several items.
  const places = world.cast.a.locations
  for (const [index, price] of ['0.10', '0.20', '999999999.99', '0.01', '123456789.01'].entries()) {
    await world.add('items', {
      name: `Small ${index}`,
      category: index % 2 === 0 ? 'Microphones' : 'Drums & Percussion',
      purchase_price: price,
      acquisition_date: `2023-0${1 + (index % 2)}-${index === 4 ? '31' : '28'}`,
      location_id: index === 0 ? null : places.room,
      reported_insured_value: '0.30',
    })
  }
})

/** The same in SQL, as the login of GraphQL in the session of studio A; every value as text. */
function inSql(text: string): Promise<Record<string, string | null>[]> {
  return asRole(world.database, 'studio_graphql', async (client) => {
    await client.query('begin')
    await client.query('select access.open_analyst_session($1, $2, null)', [
      world.cast.a.id,
      world.cast.a.people.owner.id,
    ])
    return (await client.query(text)).rows
  })
}

const moment = `to_char(updated_at, 'YYYY-MM-DD"T"HH24:MI:SS.US+00:00')`
const inSqlOf: Record<string, string> = {
  ...{ sum: 'coalesce(sum($), 0)', average: 'avg($)', min: 'min($)', max: 'max($)' },
  distinctCount: 'count(distinct $)',
}

type Group = { keys: (string | null)[]; sum: Record<string, string>; distinctCount: Record<string, string> }

describe('aggregates are those of SQL, to the last decimal', () => {
  test('over all, and over what matches a filter', async () => {
    const fields = {
      sum: {
        purchasePrice: 'purchase_price',
        currentEstimatedValue: 'current_estimated_value',
        gapAmount: 'gap_amount',
      },
      average: { purchasePrice: 'purchase_price', currentEstimatedValue: 'current_estimated_value' },
      min: { purchasePrice: 'purchase_price', acquisitionDate: 'acquisition_date', gapAmount: 'gap_amount' },
      max: { purchasePrice: 'purchase_price', acquisitionDate: 'acquisition_date', updatedAt: moment },
      distinctCount: { category: 'category', coverageState: 'coverage_state', locationId: 'location_id' },
    }
    const asked = Object.entries(fields).map(([kind, names]) => `${kind} { ${Object.keys(names).join(' ')} }`)
    const aggregates = `totalCount aggregates { ${asked.join(' ')} }`
    const { items, few } = await world.read<Record<'items' | 'few', Record<string, unknown>>>(
      `{ items { ${aggregates} }
         few: items(filter: { category: { in: ["Microphones"] }, purchasePrice: { lessThan: "1" } }) { ${aggregates} } }`,
    )
    const values = Object.entries(fields).map(([kind, names]) => {
      const each = Object.entries(names).map(
        ([name, column]) => `'${name}', (${inSqlOf[kind]?.replace('$', column)})::text`,
      )
      return `'${kind}', json_build_object(${each.join()})`
    })
    for (const [found, condition] of [
      [items, 'true'],
      [few, `category = 'Microphones' and purchase_price < 1`],
    ] as const) {
      const [row] = await inSql(`select count(*)::int as "totalCount", json_build_object(${values.join()}) as aggregates
        from api_v1.items where ${condition}`)
      expect(found).toEqual(row)
    }
    expect((items.aggregates as { sum: { purchasePrice: string } }).sum.purchasePrice).toMatch(/^\d+\.\d\d$/)
    expect((few.aggregates as { sum: { purchasePrice: string } }).sum.purchasePrice).toBe('0.10')
  })

  test.each<[grouping: string, ...keys: string[]]>([
    ['CATEGORY', 'category'],
    ['ACQUISITION_DATE_TRUNCATED_TO_MONTH', `date_trunc('month', acquisition_date::timestamp)::date`],
    ['ACQUISITION_DATE_TRUNCATED_TO_YEAR', `date_trunc('year', acquisition_date::timestamp)::date`],
    ['CATEGORY, COVERAGE_STATE', 'category', 'coverage_state'],
  ])('in groups by %s, in the order of their keys', async (grouping, ...keys) => {
    const { items } = await world.read<{ items: { groupedAggregates: Group[] } }>(
      `{ items { groupedAggregates(groupBy: [${grouping}]) { keys sum { purchasePrice gapAmount } distinctCount { id } } } }`,
    )
    const texts = keys.map((key) => `(${key})::text`)
    const rows = await inSql(`select ${texts.map((key, n) => `${key} as key${n}`).join()},
        coalesce(sum(purchase_price), 0)::text as price, coalesce(sum(gap_amount), 0)::text as gap, count(*)::text as number
      from api_v1.items group by ${keys.join()} order by ${texts.map((key) => `${key} collate "C" nulls last`).join()}`)
    expect(rows.length).toBeGreaterThan(1)
    expect(items.groupedAggregates).toEqual(
      rows.map(({ price, gap, number, ...key }) => ({
        keys: Object.values(key),
        sum: { purchasePrice: price, gapAmount: gap },
        distinctCount: { id: number },
      })),
    )
  })
})

describe('lists', () => {
  type Page = { nodes: Record<string, string>[]; pageInfo: { cursor: string | null; more: boolean } }

  /** The fields of each record of a list, read page by page through cursors from either end. */
  async function walk(list: string, fields: string, page: string, backwards = false): Promise<string[]> {
    const [cursor, more, from] = backwards
      ? ['startCursor', 'hasPreviousPage', 'before']
      : ['endCursor', 'hasNextPage', 'after']
    const read: string[] = []
    for (let at: string | null = null, goOn = true; goOn; ) {
      const found: Record<string, Page> = await world.read(
        `query ($at: Cursor) { ${list}(${page}, ${from}: $at) { nodes { ${fields} } pageInfo { cursor: ${cursor} more: ${more} } } }`,
        { variables: { at } },
      )
      const { nodes, pageInfo } = found[list] as Page
      const rows = nodes.map((node) => Object.values(node).join(' '))
      read.splice(backwards ? 0 : read.length, 0, ...rows)
      ;({ cursor: at, more: goOn } = pageInfo)
    }
    return read
  }

  test.each([
    ['UPDATED_AT_DESC', 'updated_at desc, id desc'],
    ['LOCATION_ID_DESC', 'location_id desc nulls last, id'],
    ['[COVERAGE_STATE_DESC, ACQUISITION_DATE_ASC]', 'coverage_state desc nulls last, acquisition_date, id'],
  ])(
    'by %s are read page by page through cursors, forwards and backwards, each record once',
    async (order, sqlOrder) => {
      // In one of the orders all are equal. Then the id decides, in the direction of the first
      // column.
      await world.setUpdatedAt('items', '2026-01-01T00:00:00.000Z')
      const expected = (await inSql(`select id from api_v1.items order by ${sqlOrder}`)).map(({ id }) => id)
      expect(await walk('items', 'id', `first: 2, orderBy: ${order}`)).toEqual(expected)
      expect(await walk('items', 'id', `last: 3, orderBy: ${order}`, true)).toEqual(expected)
    },
  )

  test.each([
    ['', 'item_id, policy_id'],
    [', orderBy: DECLARED_VALUE_DESC', 'declared_value desc nulls last, item_id, policy_id'],
  ])('of assignments are read page by page as well (%s)', async (order, sqlOrder) => {
    const rows = await inSql(`select item_id || ' ' || policy_id as row from api_v1.assignments order by ${sqlOrder}`)
    expect(rows.length).toBeGreaterThan(3)
    expect(await walk('assignments', 'itemId policyId', `first: 1${order}`)).toEqual(rows.map(({ row }) => row))
  })

  test('go both ways between items, locations, policies, assignments and maintenance', async () => {
    const { a } = world.cast
    const data = await world.read(
      `query ($id: UUID!) { item(id: $id) {
        location { name parent { name items(first: 1) { totalCount } } }
        assignments(first: 1, filter: { isPrimary: { equalTo: true } }) { nodes { policy { name assignments { totalCount } } item { name } } }
        maintenanceRecords(first: 5) { nodes { title item { name } } }
      } }`,
      { variables: { id: a.items.microphone } },
    )
    expect(data).toEqual({
      item: {
        location: { name: 'Rack 1', parent: { name: 'Live room', items: { totalCount: 5 } } },
        assignments: {
          nodes: [
            { policy: { name: 'Studio cover', assignments: { totalCount: 2 } }, item: { name: 'Large microphone' } },
          ],
        },
        maintenanceRecords: { nodes: [{ title: 'Check the capsule', item: { name: 'Large microphone' } }] },
      },
    })
  })

  test('are filtered by the record and by what it belongs to', async () => {
    const { maintenanceRecords, items } = await world.read<{ maintenanceRecords: unknown; items: unknown }>(`{
      maintenanceRecords(first: 5, filter: { status: { equalTo: "completed" }, item: { category: { startsWithInsensitive: "mixing" } } }) {
        nodes { title cost completedDate }
      }
      items(first: 5, orderBy: NAME_ASC, filter: { name: { includesInsensitive: "SMALL" }, not: { purchasePrice: { lessThan: "1.00" } } }) {
        nodes { name purchasePrice acquisitionDate }
      }
    }`)
    expect(maintenanceRecords).toEqual({
      nodes: [{ title: 'Replace faders', cost: '480.75', completedDate: '2025-03-09' }],
    })
    expect(items).toEqual({
      nodes: [
        { name: 'Small 2', purchasePrice: '999999999.99', acquisitionDate: '2023-01-28' },
        { name: 'Small 4', purchasePrice: '123456789.01', acquisitionDate: '2023-01-31' },
      ],
    })
  })

  test.each(['{}', '{ or: [] }', '{ and: [] }', '{ location: { or: [] } }'])(
    'refuse the filter %s, which would say nothing and return everything',
    async (filter) => {
      const { data, errors } = await world.ask(`{ items(filter: ${filter}) { totalCount } }`)
      expect(data).toEqual({ items: null })
      expect(errors).toMatchObject([
        { message: expect.stringMatching(/^Empty (objects|lists) are/), extensions: { code: 'invalid_value' } },
      ])
    },
  )
})
