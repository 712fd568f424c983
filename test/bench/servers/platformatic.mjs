// Platformatic DB on the tables of the service. Runs in the folder into which it was installed, by `--peers`.
import { create } from '@platformatic/db'

const { DATABASE_URL, PORT } = process.env
const app = await create(process.cwd(), {
  server: { hostname: '127.0.0.1', port: Number(PORT), logger: { level: 'error' } },
  db: {
    connectionString: DATABASE_URL,
    schema: ['app'],
    openapi: true,
    graphql: false,
    events: false,
  },
})
await app.start({ listen: true })
console.log('listening', app.url)
