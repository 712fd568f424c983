import { beforeAll, describe, expect, it } from 'vitest'
import { type Studio, useSql } from '../sql/support.ts'

const sql = useSql()

/** Every amount that is written, as table and column. */
const amounts = [
  ['items', 'purchase_price'],
  ['items', 'residual_value'],
  ['items', 'manual_value'],
  ['items', 'replacement_cost'],
  ['items', 'reported_insured_value'],
  ['market_values', 'value'],
  ['maintenance_records', 'cost'],
  ['policies', 'overall_limit'],
  ['policies', 'deductible'],
  ['policy_assignments', 'declared_value'],
] as const

let studio: Studio
beforeAll(async () => {
  studio = await sql.studio()
})

describe.each(amounts)('app.%s.%s', (table, column) => {
  it.each([
    ['9999999999.99', '9999999999.99'],
    ['999999999999.99', '999999999999.99'],
    ['0.01', '0.01'],
    ['0.1', '0.10'],
    ['1e3', '1000.00'],
  ])('keeps %s exactly', async (written, kept) => {
    expect(await write(`'${written}'::numeric`)).toBe(kept)
  })

  it('adds 0.1 and 0.2 to 0.30', async () => {
    expect(await write('0.1 + 0.2')).toBe('0.30')
  })

  it.each(['NaN', 'Infinity', '-Infinity', '-0.01', '1000000000000'])('refuses %s', async (value) => {
    await expect(write(`'${value}'::numeric`)).rejects.toMatchObject({ code: expect.stringMatching(/^(23514|22003)$/) })
    await expect(write(`'${value}'::float8`)).rejects.toMatchObject({ code: expect.stringMatching(/^(23514|22003)$/) })
  })

  /** Writes an amount given as an expression and returns what is kept; nothing stays. */
  function write(expression: string): Promise<string> {
    return studio.write(async ({ row, value, client }) => {
      await client.query('savepoint attempt')
      try {
        const item = await value(`insert into app.items (studio_id, name) values ('${studio.id}', 'Item') returning id`)
        const policy = await value(
          `insert into app.policies (studio_id, name) values ('${studio.id}', 'Policy') returning id`,
        )
        const needed = {
          items: [`name`, `'Item'`],
          policies: [`name`, `'Policy'`],
          market_values: ['item_id, as_of', `'${item}', now()`],
          maintenance_records: ['item_id, title', `'${item}', 'Check'`],
          policy_assignments: ['item_id, policy_id', `'${item}', '${policy}'`],
        }[table]
        const kept = await row<{ kept: string }>(
          `insert into app.${table} (studio_id, ${needed[0]}, ${column})
           values ('${studio.id}', ${needed[1]}, ${expression}) returning ${column}::text as kept`,
        )
        return kept.kept
      } finally {
        await client.query('rollback to savepoint attempt')
      }
    })
  }
})

describe('an amount is shown with its exact decimals', () => {
  it('in the JSON of a list and of a single resource', async () => {
    const id = await studio.add('items', {
      name: 'Console',
      purchase_price: '9999999999.99',
      reported_insured_value: '0.30',
    })
    const list = await studio.ask('list_items', 1, 50, null, null, null)
    const item = await studio.ask('get_item', id)
    for (const { data } of [list, item]) {
      expect(data).toContain('"purchase_price":9999999999.99,')
      expect(data).toContain('"reported_insured_value":0.30,')
    }
    expect(item.data).toMatch(/"current_estimated_value":9999999999\.99[,}]/)
    expect(item.data).toMatch(/"gap_amount":9999999999\.69[,}]/)
  })

  it('and adds up without an error', async () => {
    const other = await sql.studio()
    const item = await other.add('items')
    await other.write(({ rows }) =>
      rows(
        `insert into app.maintenance_records (studio_id, item_id, title, cost)
         select $1, $2, 'Check', 0.1 from generate_series(1, 1000)`,
        [other.id, item],
      ),
    )
    const session = await sql.connect('studio_graphql')
    await session.rows(`select set_config('studio.id', $1, false)`, [other.id])
    expect(await session.value('select sum(cost)::text from api_v1.maintenance')).toBe('100.00')
  })
})
