import express from 'express'

// What the machine and the framework can do at most: Express answers every request with one body that it holds.

const body = Buffer.from(String(process.env.BODY))

const app = express()
app.disable('x-powered-by')
app.disable('etag')
app.use((_request, response) => {
  response.statusCode = 200
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
})

const server = app.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('listening'))
process.on('SIGTERM', () => {
  server.closeAllConnections()
  server.close(() => process.exit(0))
})
