import { availableParallelism } from 'node:os'
import express from 'express'
import pg from 'pg'

// About the least that a list takes that is read: Express and one statement, which joins stored documents of one studio and
// does nothing else. It is no rival: as a superuser without row-level security or authentication, without totals, photos,
// limits or a log.

const { DATABASE_URL, PORT, TOKENS } = process.env
const studios = new Map<string, string>(Object.entries(JSON.parse(String(TOKENS))))
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 * availableParallelism() })

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/v1/items', async (request, response) => {
  const { category, coverage_state: state, per_page: perPage } = request.query
  const studio = studios.get(String(request.headers.authorization).slice('Bearer '.length))
  const values: unknown[] = [studio, Number(perPage ?? 50)]
  const equals = (column: string, value: unknown) =>
    value === undefined ? '' : ` and ${column} = $${values.push(value)}`
  const filter = equals('category', category) + equals('coverage_state', state)
  const text = `select string_agg(document, ',') as data
    from (select document from app.items where studio_id = $1 and archived_at is null${filter}
          order by updated_at desc, id desc limit $2) as page`
  const { rows } = await pool.query({ name: `list${filter}`, text, values })
  const body = Buffer.from(`{"data":[${rows[0].data ?? ''}]}`)
  response.statusCode = 200
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
})

const server = app.listen(Number(PORT), '127.0.0.1', () => console.log('listening'))
process.on('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => process.exit(0))
})
