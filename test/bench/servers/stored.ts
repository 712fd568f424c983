import { availableParallelism } from 'node:os'
import express from 'express'
import pg from 'pg'

// The upper limit of the machine and the framework: Express answers with bodies in memory. `/stored/<name>` at once,
// `/asked/<name>` after one `select 1` of its own. A server whose requests share statements can be faster than that.

const bodies = new Map(
  Object.entries(JSON.parse(String(process.env.BODIES))).map(([name, body]) => [
    name,
    Buffer.from(JSON.stringify(body)),
  ]),
)
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 2 * availableParallelism() })

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.get('/stored/:name', (request, response) => send(response, request.params.name))
app.get('/asked/:name', async (request, response) => {
  await pool.query({ name: 'one', text: 'select 1' })
  send(response, request.params.name)
})

function send(response: express.Response, name: string): void {
  const body = bodies.get(name) ?? Buffer.alloc(0)
  response.statusCode = body.length > 0 ? 200 : 404
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
}

const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'))
process.on('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => process.exit(0))
})
