// PostGraphile on the tables of the service. Runs in the folder into which it was installed, by `--peers`.
import { createServer } from 'node:http'
import { postgraphile } from 'postgraphile'
import { makePgService } from 'postgraphile/adaptors/pg'
import { grafserv } from 'postgraphile/grafserv/node'
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber'
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter'

const { DATABASE_URL, PORT } = process.env
const instance = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  pgServices: [makePgService({ connectionString: DATABASE_URL, schemas: ['app'] })],
  // Orders and filters by any column, as the list needs them.
  disablePlugins: ['PgIndexBehaviorsPlugin'],
  grafast: { explain: false },
  grafserv: { graphiql: false, watch: false },
})
const server = createServer()
server.on('error', (error) => console.error(error))
await instance.createServ(grafserv).addTo(server)
server.listen(Number(PORT), '127.0.0.1', () => console.log('listening'))
