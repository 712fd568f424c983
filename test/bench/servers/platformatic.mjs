// Platformatic DB on the tables of the service, with a JWT checked for each request. Runs in the folder into which it was installed, by `--peers`.
import { create } from '@platformatic/db'

const { DATABASE_URL, JWT_SECRET, PORT } = process.env
const app = await create(process.cwd(), {
  server: { hostname: '127.0.0.1', port: Number(PORT), logger: { level: 'error' } },
  db: {
    connectionString: DATABASE_URL,
    schema: ['app'],
    openapi: true,
    graphql: false,
    events: false,
  },
  // The items of the studio that the token names, to be read; everything else, and without a token everything, is refused.
  authorization: {
    jwt: { secret: JWT_SECRET },
    rules: [
      { role: 'reader', entity: 'appItem', find: { checks: { studioId: 'X-STUDIO-ID' } }, save: false, delete: false },
    ],
  },
})
await app.start({ listen: true })
console.log('listening', app.url)
