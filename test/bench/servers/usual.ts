import express from 'express'
import pg from 'pg'

// Express and pg, with one transaction a request under row-level security. It has an advantage: its
// tokens are in memory, and it limits, records and logs nothing.

const { DATABASE_URL, PORT, TOKENS } = process.env
const studios = new Map(Object.entries(JSON.parse(String(TOKENS)) as Record<string, string>))

pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number)
pg.types.setTypeParser(pg.types.builtins.INT8, Number)
pg.types.setTypeParser(pg.types.builtins.DATE, (text) => text)

/** The columns of an item in the list, with dates as text and decimals as numbers. */
const itemColumns = `i.id, i.name, i.manufacturer, i.model, i.serial_number, i.barcode, i.category, i.tags,
  i.purchase_price, i.acquisition_date, i.depreciation_method, i.market_value_as_of, i.reported_insured_value,
  i.location_id, i.created_at, i.updated_at`

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 })

async function inStudio<Result>(studio: string, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query('set local role bench_reader')
    await client.query(`select set_config('studio.id', $1, true)`, [studio])
    const result = await work(client)
    await client.query('commit')
    client.release()
    return result
  } catch (error) {
    client.release(true)
    throw error
  }
}

const meta = {
  disclaimers: [
    'coverage_state and gap_amount reflect valuation status and not insurance adequacy.',
    'market_value_estimate is derived from third-party market data and is no guarantee of resale value.',
  ],
  documentation_url: `http://localhost:${PORT}/docs#adequacy-disclaimer`,
}

const filters = { category: 'i.category =', coverage_state: 'i.coverage_state =', updated_since: 'i.updated_at >=' }

const app = express().disable('x-powered-by').disable('etag')

app.get('/v1/items', async (request, response) => {
  const studio = studios.get(request.headers.authorization?.slice('Bearer '.length) ?? '')
  if (studio === undefined) return void response.status(401).json({ status: 401 })
  const page = Math.max(1, Number(request.query.page ?? 1))
  const perPage = Math.min(100, Math.max(1, Number(request.query.per_page ?? 50)))
  const conditions = ['i.archived_at is null']
  const values: unknown[] = []
  for (const [name, condition] of Object.entries(filters)) {
    const value = request.query[name]
    if (value !== undefined) conditions.push(`${condition} $${values.push(value)}`)
  }
  const where = conditions.join(' and ')
  const { rows, total } = await inStudio(studio, async (client) => {
    const found = await client.query(
      `select ${itemColumns} from app.items i where ${where} order by i.updated_at desc, i.id desc
       limit ${perPage} offset ${(page - 1) * perPage}`,
      values,
    )
    const counted = await client.query(`select count(*) as total from app.items i where ${where}`, values)
    return { rows: found.rows, total: Number(counted.rows[0].total) }
  })
  const next = page * perPage < total ? page + 1 : null
  response.json({ data: rows, meta: { page, per_page: perPage, total, next_page: next }, _meta: meta })
})

app.listen(Number(PORT), '127.0.0.1')
